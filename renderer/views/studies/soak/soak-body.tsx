import { useMemo, useState } from 'react';
import type { SoakDetail } from '../../../../main/contract/study/soak';
import type { StudyDetail } from '../../../../main/contract/study/study';
import { placeLines } from '../../../../main/domain/study/place-text';
import { type SoakAnswer, soakAnswer } from '../../../../main/domain/study/soak/soak-answer';
import { soakTitles } from '../../../../main/domain/study/soak/soak-charts';
import { sliceColumns, soakColumns } from '../../../../main/domain/study/soak/soak-columns';
import { soakKeyFigures } from '../../../../main/domain/study/soak/soak-figures';
import { judgedLine, soakLevelText } from '../../../../main/domain/study/soak/soak-text';
import { ChartPanel } from '../../../charts/chart-panel';
import { SharedCursor } from '../../../charts/plot/shared-cursor';
import { Answer } from '../../../components/answer';
import { ErrorPanel } from '../../../components/error-panel';
import { FigurePanel } from '../../../components/figure-panel';
import type { Tone } from '../../../components/status-text';
import { useChartTheme } from '../../../components/use/use-chart-theme';
import { answerText, KnownTable, LoadProgress } from '../search/search-parts';
import { soakCharts } from './soak-chart';

const warmNote =
  'Memory is judged from the dotted line on; before it, the server warms up. The lines show how much each process has grown since then.';

function Charts({ name, soaked }: { name: string } & Pick<SoakDetail, 'soaked'>) {
  const theme = useChartTheme();
  const charts = useMemo(() => soakCharts(soaked, theme), [soaked, theme]);
  const [cursor] = useState(() => new SharedCursor());
  // A single point shows no change.
  const hasMemory = charts.memory.data.length > 0 && soaked.blocks.length > 1;
  const hasLine = charts.memory.layout['shapes'] !== undefined;
  const panel = (id: keyof typeof charts, height: number) => (
    <ChartPanel
      id={`soak-${id}`}
      title={soakTitles[id]}
      chart={charts[id]}
      height={height}
      fileName={name}
      cursor={cursor}
      wide={id === 'memory'}
      note={id === 'memory' && hasLine ? warmNote : null}
    />
  );
  return (
    <div className="charts">
      {hasMemory ? panel('memory', 260) : null}
      {soaked.slices.length === 0 ? null : (
        <>
          {panel('p99', 200)}
          {panel('throughput', 200)}
        </>
      )}
    </div>
  );
}

const tones: Readonly<Record<SoakAnswer['verdict'], Tone>> = {
  ...{ grows: 'bad', step: 'warn', unclear: 'warn', flat: 'good', unknown: 'info' },
};

const toneOf = ({ verdict, outcome }: SoakAnswer): Tone =>
  outcome === 'outside' ? 'bad' : outcome === 'within' ? 'good' : tones[verdict];

/** A soak: whether memory grows and whose, then what it rests on. */
export function SoakBody({ study, soak, soaked, place }: { study: StudyDetail } & SoakDetail) {
  const { name, error } = study;
  const answer = useMemo(() => soakAnswer(soak, soaked, place), [soak, soaked, place]);
  const { judged, rows, slices, notes, soakedMs } = answer;
  const lines = [...judged.map(judgedLine), ...notes];
  return (
    <>
      <Answer
        text={answerText(study, false)}
        tone={toneOf(answer)}
        notes={lines.map((line) => (
          <p key={line}>{line}.</p>
        ))}
      />
      {error === null ? null : <ErrorPanel error={error} />}
      <LoadProgress study={study} share={soakedMs / soak.forMs} />
      {rows.length === 0 ? null : (
        <div className="figures">
          {soakKeyFigures(soak, answer).map((figure) => (
            <FigurePanel key={figure.label} figure={figure} />
          ))}
        </div>
      )}
      <Charts name={name} soaked={soaked} />
      <KnownTable
        className="study-runs soak-rows"
        label={`Processes of ${name}`}
        columns={soakColumns}
        rows={rows}
      />
      <KnownTable
        className="study-runs soak-rows"
        label={`Load of ${name} by slice`}
        columns={sliceColumns}
        rows={slices}
      />
      <p className="dim">
        {soak.title}, {soakLevelText(soak.level)}. Resident memory after the warm-up part, with 95 %
        intervals; 1 MB is 1,000,000 bytes.
      </p>
      {placeLines({ place }).map((line) => (
        <p key={line} className="dim">
          {line}.
        </p>
      ))}
    </>
  );
}
