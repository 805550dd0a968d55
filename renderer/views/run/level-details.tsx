import { memo } from 'react';
import type { ComposingModelColumns } from '../../../main/contract/composing-model';
import { levelText } from '../../../main/contract/level-text';
import type { LoadPoint } from '../../../main/contract/results';
import { formatCount, formatMeasured, formatMs, missing } from '../../../main/contract/numbers';

function cacheText({ cacheHitCount: hits, cacheMissCount: misses }: ComposingModelColumns): string {
  return hits === null || misses === null || hits + misses === 0
    ? missing
    : `${formatCount(hits)} of ${formatCount(hits + misses)}`;
}

function batchText({ inferenceCount: items, executionCount: batches }: ComposingModelColumns): string {
  return items === null || batches === null || batches === 0 ? missing : formatMeasured(items / batches);
}

/** What the server did for each model of an ensemble; nothing for other models. */
export const ComposingTable = memo(function ComposingTable({ points }: { points: readonly LoadPoint[] }) {
  const ensembles = points.filter(({ composing }) => composing !== undefined);
  if (ensembles.length === 0) return null;
  const headings = ['Requests', 'Queue', 'Input', 'Infer', 'Output', 'Mean batch', 'Cache hits'];
  return (
    <section className="panel" aria-label="Models of the ensemble">
      <div className="panel-head">
        <h2>Models of the ensemble</h2>
        <span className="dim">
          mean times of one request of the model in ms, from the server&apos;s statistics
        </span>
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table of the ensemble's models">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Level</th>
              <th scope="col">Model</th>
              {headings.map((heading) => (
                <th key={heading} scope="col" className="number">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ensembles.flatMap((point) =>
              (point.composing ?? []).map((model) => (
                <tr key={`${levelText(point)} ${model.modelName} ${model.modelVersion}`}>
                  <td>{levelText(point)}</td>
                  <td className="mono">{model.modelName}</td>
                  <td className="number">{formatCount(model.requestCount)}</td>
                  <td className="number">{formatMs(model.queueUs)}</td>
                  <td className="number">{formatMs(model.computeInputUs)}</td>
                  <td className="number">{formatMs(model.computeInferUs)}</td>
                  <td className="number">{formatMs(model.computeOutputUs)}</td>
                  <td className="number">{batchText(model)}</td>
                  <td className="number">{cacheText(model)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
});

/** Failed requests by level and kind, with the server's words; nothing where none failed. */
export const ErrorsTable = memo(function ErrorsTable({ points }: { points: readonly LoadPoint[] }) {
  const rows = points.flatMap((point) =>
    (point.errorsByKind ?? []).map((error) => ({ level: levelText(point), ...error })),
  );
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label="Failed requests">
      <div className="panel-head">
        <h2>Failed requests</h2>
        <span className="dim">by kind, with the server&apos;s words at the first</span>
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table of failed requests">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Level</th>
              <th scope="col" className="number">
                Requests
              </th>
              <th scope="col">Kind</th>
              <th scope="col">Message</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ level, kind, count: failed, message }) => (
              <tr key={`${level} ${kind}`}>
                <td>{level}</td>
                <td className="number">{formatCount(failed)}</td>
                <td className="mono">{kind}</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
});
