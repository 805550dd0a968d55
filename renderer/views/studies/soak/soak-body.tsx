import { useMemo } from 'react';
import type { Column } from '../../../../main/contract/measured/column';
import type { SoakDetail } from '../../../../main/contract/study/soak';
import type { StudyDetail } from '../../../../main/contract/study/study';
import { placeLines } from '../../../../main/domain/study/place-text';
import { type SoakAnswer, soakAnswer } from '../../../../main/domain/study/soak/soak-answer';
import { loadLines, memoryLines } from '../../../../main/domain/study/soak/soak-charts';
import { sliceColumns, soakColumns } from '../../../../main/domain/study/soak/soak-columns';
import { judgedLine, soakLevelText } from '../../../../main/domain/study/soak/soak-text';
import { ChartPanel } from '../../../charts/chart-panel';
import { Answer } from '../../../components/answer';
import { ErrorPanel } from '../../../components/error-panel';
import type { Tone } from '../../../components/status-text';
import { ColumnTable } from '../../../components/table';
import { useChartTheme } from '../../../components/use-chart-theme';
import { answerText, LoadProgress } from '../search/search-parts';
import { soakChart } from './soak-chart';

function Table<Of>(props: { label: string; columns: readonly Column<Of>[]; rows: readonly Of[] }) {
  const { label, rows } = props;
  // A figure that is known of no row takes no room.
  const columns = props.columns.filter((column) => rows.some((row) => (column.read(row) ?? null) !== null));
  if (rows.length === 0) return null;
  return <ColumnTable className="study-runs" {...{ label, columns, rows }} />;
}

function Charts({ name, soaked }: { name: string } & Pick<SoakDetail, 'soaked'>) {
  const theme = useChartTheme();
  const charts = useMemo(() => {
    const { p99, throughput } = loadLines(soaked);
    return {
      memory: soakChart(memoryLines(soaked), 'MB', theme),
      p99: soakChart([p99], 'ms', theme),
      throughput: soakChart([throughput], 'inferences/s', theme),
    };
  }, [soaked, theme]);
  const { blocks, slices } = soaked;
  return (
    <div className="charts">
      {blocks.length === 0 ? null : (
        <ChartPanel
          id="soak-memory"
          title="Resident memory by process"
          chart={charts.memory}
          height={260}
          fileName={name}
        />
      )}
      {slices.length === 0 ? null : (
        <>
          <ChartPanel
            id="soak-p99"
            title="p99 latency by slice"
            chart={charts.p99}
            height={200}
            fileName={name}
          />
          <ChartPanel
            id="soak-throughput"
            title="Throughput by slice"
            chart={charts.throughput}
            height={200}
            fileName={name}
          />
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
  const { judged, loadSentence, rows, slices, notes, soakedMs } = answer;
  const lines = [...judged.map(judgedLine), ...(loadSentence === null ? [] : [loadSentence]), ...notes];
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
      <Charts name={name} soaked={soaked} />
      <Table label={`Processes of ${name}`} columns={soakColumns} rows={rows} />
      <Table label={`Load of ${name} by slice`} columns={sliceColumns} rows={slices} />
      <p className="dim">
        {soak.title}, {soakLevelText(soak.level)}. Resident memory after the warm part, with 95 % intervals; 1
        MB is 1,000,000 bytes.
      </p>
      {placeLines({ place }).map((line) => (
        <p key={line} className="dim">
          {line}.
        </p>
      ))}
    </>
  );
}
