import type { ReportAccuracy } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

const passed = (ok: boolean): Markup =>
  ok ? markup`<span class="tick yes">✓ passed</span>` : markup`<span class="tick no">✗ failed</span>`;

function metricsTable({ metrics }: ReportAccuracy): Markup {
  return markup`<h3>Metrics</h3>
<table class="fixed metrics"><thead><tr><th>Metric</th><th class="n">Framework</th><th class="n">Triton</th><th class="n">Difference</th><th class="n">Threshold</th><th>Result</th></tr></thead>
<tbody>${metrics.map(
    (metric) => markup`
<tr><td>${metric.name}</td><td class="n">${metric.framework}</td><td class="n">${metric.triton}</td><td class="n">${metric.delta}</td><td class="n">${metric.threshold}</td><td>${passed(metric.passed)}</td></tr>`,
  )}
</tbody></table>`;
}

function outputsTable({ outputs }: ReportAccuracy): Markup {
  const lengths = outputs.some(({ otherLengths }) => otherLengths !== null);
  return markup`<h3>Outputs</h3>
<table class="fixed outputs"><thead><tr><th>Output</th><th class="n">Largest abs. difference</th><th class="n">Largest rel. difference</th><th>Tolerance</th><th class="n">NaN</th><th class="n">Inf</th><th class="n">Samples${lengths ? ' (other length)' : ''}</th><th>Worst sample</th><th>Result</th></tr></thead>
<tbody>${outputs.map(
    (output) => markup`
<tr><td>${output.output}</td><td class="n">${output.maxAbsDiff}</td><td class="n">${output.maxRelDiff}</td><td>${output.tolerance}</td><td class="n">${output.nanCount}</td><td class="n">${output.infCount}</td><td class="n">${output.sampleCount}${output.otherLengths === null ? '' : ` (${output.otherLengths})`}</td><td>${output.worstSample}</td><td>${passed(output.passed)}${
      output.vacuous ? markup` <span class="tick unsure">tolerance cannot fail</span>` : null
    }</td></tr>`,
  )}
</tbody></table>`;
}

/** Framework against Triton, by metric and by output tensor. */
export function accuracySection(accuracy: ReportAccuracy | null): Markup {
  if (accuracy === null) {
    return markup`<section><h2>Accuracy</h2><p>Accuracy against the framework was not checked in this run.</p></section>`;
  }
  const lengths = accuracy.outputs.some(({ otherLengths }) => otherLengths !== null);
  const vacuous = accuracy.outputs.some((output) => output.vacuous);
  return markup`<section>
<h2>Accuracy</h2>
<p class="lead">The same ${accuracy.sampleCount} samples through the framework and through Triton.${accuracy.referenceDevice === null ? null : markup` Reference on: ${accuracy.referenceDevice}.`}</p>
${accuracy.metrics.length === 0 ? null : metricsTable(accuracy)}
${accuracy.outputs.length === 0 ? null : outputsTable(accuracy)}
${
  lengths
    ? markup`<p class="key">In brackets: samples that are longer or shorter on Triton than in the framework; their values were not compared.</p>`
    : null
}
${
  vacuous
    ? markup`<p class="key">“Tolerance cannot fail”: it is so wide that no realistic output could exceed it, so passing says nothing.</p>`
    : null
}
</section>`;
}
