import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  GutterMarker,
  keymap,
  lineNumberMarkers,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { LineMark } from './mark-lines';
import { pbtxtLanguage } from './pbtxt-language';

interface PbtxtProblem {
  /** null: the whole text. */
  readonly line: number | null;
  readonly message: string;
}

const markText: Readonly<Record<LineMark['kind'], string>> = {
  added: 'added',
  changed: 'changed',
  removed: 'lines are missing here',
};

class MarkedNumber extends GutterMarker {
  constructor(
    readonly line: number,
    readonly mark: LineMark | undefined,
    readonly isProblem: boolean,
  ) {
    super();
  }

  override eq(other: MarkedNumber): boolean {
    return this.line === other.line && this.mark === other.mark && this.isProblem === other.isProblem;
  }

  override toDOM(): Node {
    const number = document.createElement('span');
    number.textContent = String(this.line);
    number.className = 'pbtxt-marked';
    if (this.isProblem) number.dataset['problem'] = 'true';
    if (this.mark !== undefined) {
      number.dataset['mark'] = this.mark.kind;
      number.title = [markText[this.mark.kind], ...this.mark.before.map((line) => `− ${line}`)].join('\n');
    }
    return number;
  }
}

const fromOutside = Annotation.define<true>();
const marked = new Compartment();
const labelled = new Compartment();

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--panel)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: "'JetBrains Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace",
    fontSize: '12px',
    lineHeight: '18px',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-gutters': { color: 'var(--dim)', backgroundColor: 'var(--panel)', border: 'none' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--selected)',
    outline: '1px solid var(--line)',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--strong-line)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--selected)',
  },
  '.cm-completionDetail': { color: 'var(--dim)' },
  '.cm-completionMatchedText': { color: 'var(--info)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '.cm-textfield': {
    color: 'var(--text)',
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--strong-line)',
  },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-search label, .cm-textfield, .cm-button': { fontSize: '12px' },
  '.cm-textfield::placeholder': { color: 'var(--dim)' },
  '.cm-button': { color: 'var(--text)', backgroundColor: 'var(--panel)', backgroundImage: 'none' },
});

/** The wizard's keys, which CodeMirror binds itself. */
const wizardKeys = new Set(['Mod-Enter', 'Alt-ArrowLeft', 'Alt-ArrowRight']);
const editingKeys = defaultKeymap.filter(({ key }) => key === undefined || !wizardKeys.has(key));

interface EditorProps {
  value: string;
  label: string;
  marks: readonly LineMark[];
  problem: PbtxtProblem | null;
  describedBy: string;
  onChange: (text: string) => void;
  onLeave: () => void;
}

type Events = Pick<EditorProps, 'onChange' | 'onLeave'>;

function leaves(view: EditorView, event: FocusEvent): boolean {
  return !(event.relatedTarget instanceof Node) || !view.dom.contains(event.relatedTarget);
}

/**
 * Text over a selection, and text of several lines, is put in here: Chromium would join the lines itself, with style
 * attributes that the content security policy refuses.
 */
function insertText(view: EditorView, event: InputEvent): boolean {
  const { inputType, data, isComposing } = event;
  const [target] = event.getTargetRanges();
  const selection = document.getSelection();
  const range = target ?? (selection?.rangeCount === 1 ? selection.getRangeAt(0) : undefined);
  if (inputType !== 'insertText' || data === null || isComposing || range === undefined) return false;
  if (range.collapsed && !data.includes('\n')) return false;
  const from = view.posAtDOM(range.startContainer, range.startOffset);
  const to = view.posAtDOM(range.endContainer, range.endOffset);
  event.preventDefault();
  view.dispatch({
    changes: { from, to, insert: data },
    selection: { anchor: from + data.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
}

/** Tab and Shift-Tab leave the editor: neither is bound. */
function extensions(events: () => Events): Extension {
  const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
  return [
    EditorView.cspNonce.of(nonce),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    search({ top: true }),
    highlightSelectionMatches(),
    autocompletion({ icons: false }),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...editingKeys]),
    pbtxtLanguage,
    theme,
    marked.of([]),
    labelled.of([]),
    EditorView.updateListener.of((update: ViewUpdate) => {
      const isTyped = !update.transactions.some((one) => one.annotation(fromOutside) === true);
      if (update.docChanged && isTyped) events().onChange(update.state.doc.toString());
    }),
    EditorView.domEventHandlers({
      beforeinput: (event, view) => insertText(view, event),
      blur: (event, view) => {
        if (leaves(view, event)) events().onLeave();
      },
    }),
  ];
}

export function createPbtxtView(parent: HTMLElement, text: string, events: () => Events): EditorView {
  return new EditorView({ parent, doc: text, extensions: extensions(events) });
}

export function showText(view: EditorView, text: string): void {
  const shown = view.state.doc.toString();
  if (shown === text) return;
  const head = Math.min(view.state.selection.main.head, text.length);
  view.dispatch({
    changes: { from: 0, to: shown.length, insert: text },
    selection: { anchor: head },
    annotations: fromOutside.of(true),
  });
}

/** Keeps the cursor's line in view where the editor shrinks for a note below it. Returns how to stop. */
function keepLineInView(view: EditorView): () => void {
  let height = view.scrollDOM.clientHeight;
  const observer = new ResizeObserver(() => {
    const before = height;
    height = view.scrollDOM.clientHeight;
    if (height < before && view.hasFocus) {
      view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
    }
  });
  observer.observe(view.scrollDOM);
  return () => observer.disconnect();
}

export function showMarks(view: EditorView, marks: readonly LineMark[], problem: PbtxtProblem | null): void {
  const { doc } = view.state;
  const byLine = new Map(marks.map((mark) => [mark.line, mark]));
  const lines = new Set([...byLine.keys(), ...(typeof problem?.line === 'number' ? [problem.line] : [])]);
  const numbers = new RangeSetBuilder<GutterMarker>();
  for (const line of [...lines].filter((one) => one >= 1 && one <= doc.lines).sort((a, b) => a - b)) {
    const { from } = doc.line(line);
    numbers.add(from, from, new MarkedNumber(line, byLine.get(line), problem?.line === line));
  }
  const diagnostics: Diagnostic[] = [];
  if (problem !== null) {
    const line = doc.line(Math.min(Math.max(problem.line ?? 1, 1), doc.lines));
    diagnostics.push({ from: line.from, to: line.to, severity: 'error', message: problem.message });
  }
  view.dispatch({ effects: marked.reconfigure(lineNumberMarkers.of(numbers.finish())) });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function showLabel(view: EditorView, label: string, describedBy: string, isInvalid: boolean): void {
  const attributes = {
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': String(isInvalid),
    // Scrolls by keyboard, which the element around it does not say of itself.
    tabindex: '0',
    spellcheck: 'false',
    autocapitalize: 'off',
  };
  view.dispatch({ effects: labelled.reconfigure(EditorView.contentAttributes.of(attributes)) });
}

export function PbtxtEditor(props: EditorProps) {
  const { value, label, marks, problem, describedBy } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = createPbtxtView(place.current, latest.current.value, () => latest.current);
    view.current = made;
    const stop = keepLineInView(made);
    return () => {
      view.current = null;
      stop();
      made.destroy();
    };
  }, []);
  useEffect(() => {
    if (view.current === null) return;
    showText(view.current, value);
    showMarks(view.current, marks, problem);
    showLabel(view.current, label, describedBy, problem !== null);
  }, [value, marks, problem, label, describedBy]);
  return <div className="pbtxt" ref={place} />;
}
