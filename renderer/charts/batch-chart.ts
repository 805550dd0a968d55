import { numberOf } from '../../main/contract/measured/column';
import { meanBatch } from '../../main/contract/measured/columns';
import type { Chart, SweepInput } from './chart';
import { baseLayout } from './chart';
import { sweepAxis, valueAxis } from './sweep-axis';
import { sweepSeries } from './sweep-series';

/** Items per execution inside the server (inference count / execution count) over the sweep; gaps where it is unknown. */
export function batchChart(input: SweepInput): Chart {
  const { theme } = input;
  return {
    data: [
      sweepSeries(
        input,
        { name: meanBatch.title, color: theme.batch, symbol: 'square' },
        numberOf(meanBatch),
      ),
    ],
    layout: {
      ...baseLayout(theme),
      xaxis: sweepAxis(input),
      yaxis: valueAxis(input, 'Items per execution'),
      showlegend: true,
    },
  };
}
