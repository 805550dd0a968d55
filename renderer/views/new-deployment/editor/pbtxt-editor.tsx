import type { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { LineMark } from './mark-lines';
import {
  createPbtxtView,
  keepLineInView,
  type PbtxtProblem,
  showLabel,
  showMarks,
  showText,
} from './pbtxt-view';

interface Props {
  value: string;
  label: string;
  marks: readonly LineMark[];
  problem: PbtxtProblem | null;
  describedBy: string;
  onChange: (text: string) => void;
  onLeave: () => void;
}

/**
 * Text of a config.pbtxt with numbered lines, highlighting and completion. Lines that differ from the generated text are
 * marked, and so is the line that cannot be read.
 */
export function PbtxtEditor(props: Props) {
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
