import { useRef } from 'react';
import { onText } from '../../../handlers';
import type { LineMark } from './mark-lines';

const markText: Readonly<Record<LineMark['kind'], string>> = {
  added: 'added',
  changed: 'changed',
  removed: 'lines are missing here',
};

/**
 * Text of a config.pbtxt with numbered lines. Lines that differ from the generated text are marked, and so is the line
 * that cannot be read.
 */
export function PbtxtEditor(props: {
  value: string;
  label: string;
  marks: readonly LineMark[];
  problemLine: number | null;
  describedBy: string;
  onChange: (text: string) => void;
  onLeave: () => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = props.value.split('\n');
  const marks = new Map(props.marks.map((mark) => [mark.line, mark]));
  return (
    <div
      className="pbtxt"
      onClick={(event) => {
        // Beside and below the lines is the editor too.
        if (event.target === event.currentTarget) area.current?.focus();
      }}
    >
      <div className="pbtxt-gutter" aria-hidden="true">
        {lines.map((_, index) => {
          const mark = marks.get(index + 1);
          return (
            <div
              key={index}
              data-mark={mark?.kind}
              data-problem={props.problemLine === index + 1}
              title={
                mark === undefined
                  ? undefined
                  : [markText[mark.kind], ...mark.before.map((line) => `− ${line}`)].join('\n')
              }
            >
              {index + 1}
            </div>
          );
        })}
      </div>
      <textarea
        ref={area}
        className="pbtxt-text"
        aria-label={props.label}
        aria-invalid={props.problemLine !== null}
        aria-describedby={props.describedBy}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        wrap="off"
        rows={lines.length}
        value={props.value}
        onChange={onText(props.onChange)}
        onBlur={props.onLeave}
      />
    </div>
  );
}
