import { type CompletionContext, type CompletionResult, snippetCompletion } from '@codemirror/autocomplete';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { fieldsAt, pbtxtPlace, valuesAt } from './pbtxt-fields';

const language = StreamLanguage.define<null>({
  name: 'pbtxt',
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return 'comment';
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/^-?(?:\d[\w.+-]*|inf\b|nan\b)/)) return 'number';
    if (stream.match(/^(?:true|false)\b/)) return 'bool';
    if (stream.match(/^[A-Za-z_][\w.]*(?=\s*[:{[<])/)) return 'propertyName';
    if (stream.match(/^[A-Za-z_][\w.]*/)) return 'atom';
    stream.next();
    return 'punctuation';
  },
  languageData: { commentTokens: { line: '#' }, indentOnInput: /^\s*[}\]]$/ },
});

const colors = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: tags.propertyName, color: 'var(--info)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--warn)' },
]);

function completePbtxt(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w.]*/);
  const from = word?.from ?? context.pos;
  if (from === context.pos && !context.explicit) return null;
  const place = pbtxtPlace(context.state.sliceDoc(0, from));
  if (place === null) return null;
  if (place.valueOf !== null) {
    const values = valuesAt(place.path, place.valueOf);
    return values.length === 0
      ? null
      : { from, options: values.map((label) => ({ label, type: 'enum' })), validFor: /^\w*$/ };
  }
  const options = fieldsAt(place.path).map(({ name, type, isMessage }) =>
    snippetCompletion(isMessage ? `${name} {\n  \${}\n}` : `${name}: \${}`, {
      label: name,
      detail: type,
      type: 'property',
    }),
  );
  return options.length === 0 ? null : { from, options, validFor: /^\w*$/ };
}

export const pbtxtLanguage = [
  language,
  syntaxHighlighting(colors),
  language.data.of({ autocomplete: completePbtxt }),
];
