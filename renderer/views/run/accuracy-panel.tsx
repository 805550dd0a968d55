import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import {
  batchesText,
  comparedAtText,
  type ComparedBatch,
} from '../../../main/contract/measured/compared-batches';
import type { AccuracyResult } from '../../../main/contract/measured/results';
import { formatCount, formatMetric, formatScale } from '../../../main/contract/numbers';
import type { Preset } from '../../../main/contract/run/preset';
import { accuracyOf, accuracyText, referenceText } from '../../../main/contract/run/run-outcome';
import { allowanceText, metricTitle, metricTitlesOf, thresholdSign } from '../../../main/contract/words';
import { Panel } from '../../components/panel';
import { AccuracyText, PassedText } from '../../components/status-text';
import { type DetailsHeading, HeadedRows } from './details-table';

interface AccuracyColumn<Row> extends DetailsHeading {
  readonly cell: (row: Row) => ReactNode;
}

const metricColumns: readonly AccuracyColumn<AccuracyResult['metrics'][number]>[] = [
  { title: 'Framework', number: true, cell: ({ framework }) => formatMetric(framework) },
  { title: 'Triton', number: true, cell: ({ triton }) => formatMetric(triton) },
  {
    title: 'Allowed',
    number: true,
    cell: (row) => (row.threshold === null ? '–' : `${thresholdSign(row)} ${formatMetric(row.threshold)}`),
  },
  { title: 'Gate', cell: ({ passed }) => <PassedText passed={passed} /> },
];

type Output = AccuracyResult['outputs'][number];

const shareColumn: AccuracyColumn<Output> = {
  title: 'Tolerance used',
  help: 'Largest |difference| / (atol + rtol × |reference|) of any value; at most 100 % passes',
  number: true,
  strong: true,
  cell: (row) => allowanceText(row) ?? '–',
};

const lengthColumn: AccuracyColumn<Output> = {
  title: 'Other length',
  help: 'Samples that are longer or shorter on Triton; their values were not compared',
  number: true,
  cell: ({ otherLengths, sampleCount }) =>
    otherLengths === undefined ? '–' : `${formatCount(otherLengths)} of ${formatCount(sampleCount)}`,
};

const outputColumns = (outputs: readonly Output[]): readonly AccuracyColumn<Output>[] => [
  { title: 'Output', mono: true, cell: ({ output }) => output },
  { title: 'Largest absolute difference', number: true, cell: ({ maxAbsDiff }) => formatScale(maxAbsDiff) },
  { title: 'atol', number: true, cell: ({ atol }) => formatScale(atol) },
  { title: 'Largest relative difference', number: true, cell: ({ maxRelDiff }) => formatScale(maxRelDiff) },
  { title: 'rtol', number: true, cell: ({ rtol }) => formatScale(rtol) },
  ...(outputs.some(({ allowanceShare }) => allowanceShare !== undefined) ? [shareColumn] : []),
  { title: 'NaN / Inf', number: true, cell: ({ nanCount, infCount }) => `${nanCount} / ${infCount}` },
  ...(outputs.some(({ otherLengths }) => otherLengths !== undefined) ? [lengthColumn] : []),
  { title: 'Gate', cell: ({ passed }) => <PassedText passed={passed} /> },
];

const batchColumns: readonly AccuracyColumn<ComparedBatch>[] = [
  { title: 'Requests', cell: (row) => batchesText([row]) },
  { title: 'Count', number: true, cell: ({ requestCount }) => formatCount(requestCount) },
  { title: 'Largest absolute difference', number: true, cell: ({ maxAbsDiff }) => formatScale(maxAbsDiff) },
  { title: 'Gate', cell: ({ passed }) => <PassedText passed={passed} /> },
];

function AccuracyTable<Row>(props: {
  columns: readonly AccuracyColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}) {
  const { columns, rows, keyOf } = props;
  const cellsOf = (row: Row) => ({ key: keyOf(row), cells: columns.map(({ cell }) => cell(row)) });
  return <HeadedRows headings={columns} rows={rows.map(cellsOf)} />;
}

export function AccuracyPanel({ result, preset }: { result: AccuracyResult; preset: Preset | undefined }) {
  const titles = preset === undefined ? {} : metricTitlesOf(preset);
  const accuracy = accuracyOf(result);
  const at = comparedAtText(result.batches);
  return (
    <Panel
      title="Accuracy"
      note={
        <>
          {formatCount(result.sampleCount)} samples
          {at === null ? '' : `; compared at ${at}`}
          {result.golden === undefined ? '' : `; reference: ${referenceText(result)}`}
          {result.referenceDevice === undefined ? '' : `; reference on: ${result.referenceDevice}`}
        </>
      }
      head={<AccuracyText word={accuracy.word}>{accuracyText(accuracy)}</AccuracyText>}
    >
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Accuracy tables">
        {result.metrics.length === 0 ? null : (
          <AccuracyTable
            columns={[{ title: 'Metric', cell: ({ name }) => metricTitle(titles, name) }, ...metricColumns]}
            rows={result.metrics}
            keyOf={({ name }) => name}
          />
        )}
        <AccuracyTable
          columns={outputColumns(result.outputs)}
          rows={result.outputs}
          keyOf={({ output }) => output}
        />
        {result.batches === undefined ? null : (
          <AccuracyTable columns={batchColumns} rows={result.batches} keyOf={(row) => batchesText([row])} />
        )}
      </div>
      {result.reasons.length + result.warnings.length === 0 ? null : (
        <ul className="panel-body stack">
          {result.reasons.map((reason) => (
            <li key={reason} className="tone-bad">
              {reason}
            </li>
          ))}
          {result.warnings.map((warning) => (
            <li key={warning} className="status tone-warn">
              <IconAlertTriangle size={15} aria-hidden="true" /> {warning}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
