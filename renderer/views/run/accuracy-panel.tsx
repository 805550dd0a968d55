import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { AccuracyResult } from '../../../main/contract/measured/results';
import { formatCount, formatMetric, formatScale } from '../../../main/contract/numbers';
import type { Preset } from '../../../main/contract/run/preset';
import { allowanceText, thresholdSign } from '../../../main/contract/words';
import { Panel } from '../../components/panel';

function Passed({ passed }: { passed: boolean }) {
  return passed ? (
    <span className="status tone-good">
      <IconCircleCheck size={15} aria-hidden="true" /> Passed
    </span>
  ) : (
    <span className="status tone-bad">
      <IconCircleX size={15} aria-hidden="true" /> Not passed
    </span>
  );
}

/** Framework against Triton: metrics, and the observed differences beside the tolerances. */
export function AccuracyPanel({ result, preset }: { result: AccuracyResult; preset: Preset | undefined }) {
  const titleOf = (name: string): string =>
    preset?.metrics.find((known) => known.name === name)?.title ?? name;
  const shares = result.outputs.some(({ allowanceShare }) => allowanceShare !== undefined);
  const lengths = result.outputs.some(({ otherLengths }) => otherLengths !== undefined);
  return (
    <Panel
      title="Accuracy"
      note={<>{formatCount(result.sampleCount)} samples</>}
      head={<Passed passed={result.passed} />}
    >
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Accuracy tables">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" className="number">
                Framework
              </th>
              <th scope="col" className="number">
                Triton
              </th>
              <th scope="col" className="number">
                Allowed
              </th>
              <th scope="col">Gate</th>
            </tr>
          </thead>
          <tbody>
            {result.metrics.map((row) => (
              <tr key={row.name}>
                <td>{titleOf(row.name)}</td>
                <td className="number">{formatMetric(row.framework)}</td>
                <td className="number">{formatMetric(row.triton)}</td>
                <td className="number">
                  {row.threshold === null ? '–' : `${thresholdSign(row)} ${formatMetric(row.threshold)}`}
                </td>
                <td>
                  <Passed passed={row.passed} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Output</th>
              <th scope="col" className="number">
                Largest absolute difference
              </th>
              <th scope="col" className="number">
                atol
              </th>
              <th scope="col" className="number">
                Largest relative difference
              </th>
              <th scope="col" className="number">
                rtol
              </th>
              {shares ? (
                <th
                  scope="col"
                  className="number"
                  title="Largest |difference| / (atol + rtol × |reference|) of any value; at most 100 % passes"
                >
                  Tolerance used
                </th>
              ) : null}
              <th scope="col" className="number">
                NaN / Inf
              </th>
              {lengths ? (
                <th
                  scope="col"
                  className="number"
                  title="Samples that are longer or shorter on Triton; their values were not compared"
                >
                  Other length
                </th>
              ) : null}
              <th scope="col">Gate</th>
            </tr>
          </thead>
          <tbody>
            {result.outputs.map((row) => (
              <tr key={row.output}>
                <td className="mono">{row.output}</td>
                <td className="number">{formatScale(row.maxAbsDiff)}</td>
                <td className="number">{formatScale(row.atol)}</td>
                <td className="number">{formatScale(row.maxRelDiff)}</td>
                <td className="number">{formatScale(row.rtol)}</td>
                {shares ? <td className="number strong">{allowanceText(row) ?? '–'}</td> : null}
                <td className="number">
                  {row.nanCount} / {row.infCount}
                </td>
                {lengths ? (
                  <td className="number">
                    {row.otherLengths === undefined
                      ? '–'
                      : `${formatCount(row.otherLengths)} of ${formatCount(row.sampleCount)}`}
                  </td>
                ) : null}
                <td>
                  <Passed passed={row.passed} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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
