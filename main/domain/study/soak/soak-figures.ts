import { formatCount, formatDuration, formatMs, missing } from '../../../contract/numbers';
import type { SoakStrategy } from '../../../contract/study/soak';
import type { KeyFigure } from '../../measured/key-figures';
import { p99EndsOf, type SoakAnswer, unansweredText } from './soak-answer';
import type { SoakRow } from './soak-rows';
import { amountOf } from './soak-text';

const isOfServer = ({ role }: SoakRow): boolean => role !== 'client';

function growthFigure(rows: readonly SoakRow[]): KeyFigure {
  const known = rows.flatMap((row) => {
    const { perHour } = row.growth.rss;
    return perHour === null ? [] : [{ row, perHour }];
  });
  const [fastest] = known.toSorted((one, other) => other.perHour.value - one.perHour.value);
  const label = 'Fastest growth of resident memory';
  if (fastest === undefined) return { label, value: missing, unit: '', note: 'too few readings yet' };
  const { value, low, high } = fastest.perHour;
  return {
    ...{ label, value: amountOf('rss', value), unit: 'MB per hour' },
    note: `${amountOf('rss', low)} to ${amountOf('rss', high)}; ${fastest.row.title}`,
  };
}

/** Of all processes of the server; of its machine where they cannot be read. */
function memoryFigure(rows: readonly SoakRow[]): KeyFigure {
  const sum = (of: 'first' | 'last'): number | null => {
    const values = rows.map((row) => row[of].rss);
    return values.length === 0 || values.includes(null)
      ? null
      : values.reduce((all: number, one) => all + (one ?? 0), 0);
  };
  const [first, last] = [sum('first'), sum('last')];
  const isMachine = rows.some(({ role }) => role === 'machine');
  return {
    label: isMachine ? 'Memory of the machine' : 'Memory of the server',
    value: last === null ? missing : amountOf('rss', last),
    unit: 'MB',
    note: first === null ? 'not read' : `${amountOf('rss', first)} MB at first`,
  };
}

/** What the page of a soak shows largest. Pure. */
export function soakKeyFigures(
  { forMs }: Pick<SoakStrategy, 'forMs'>,
  answer: SoakAnswer,
): readonly KeyFigure[] {
  const { rows, slices, requests, soakedMs } = answer;
  const unanswered = unansweredText(answer).slice(2);
  const own = rows.filter(isOfServer);
  const p99 = p99EndsOf(slices);
  return [
    growthFigure(own),
    memoryFigure(own),
    {
      ...{ label: 'p99 at the end', value: formatMs(p99?.last), unit: 'ms' },
      note: p99 === null ? 'not measured yet' : `${formatMs(p99.first)} ms at first`,
    },
    {
      ...{ label: 'Requests', value: formatCount(requests), unit: '' },
      note: unanswered === '' ? 'none failed' : unanswered,
    },
    {
      ...{ label: 'Time under load', value: formatDuration(soakedMs * 1000), unit: '' },
      note: `of ${formatDuration(forMs * 1000)}`,
    },
  ];
}
