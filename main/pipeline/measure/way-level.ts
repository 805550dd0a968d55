import { toWire, WorkbenchError } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { formatMs } from '../../contract/numbers';
import { gatewayUrl, type ServerLoad } from '../../contract/run/server-load';
import type { LoadLevel } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { isWayTold, wayOf, wayRowsOf } from '../../domain/measured/way';
import { inTurnOrder } from '../../domain/study/duel/duel-rounds';
import type { LoadTool, MeasureInput } from '../../perf/load-tool';

/** Fewer say too little of the interval; more take a minute. */
const fewestPairs = 6;
const mostPairs = 24;

function throughGateway(url: string, error: unknown): WorkbenchError {
  const { code, message, where, remedy, details } = toWire(error);
  return new WorkbenchError(code, `Through ${url}: ${message}`, { where, remedy, details, cause: error });
}

/** "batch size 1, concurrency 1, pair 3: mean latency 4.10 ms directly, 4.62 ms through http://…". */
function pairLine(level: LoadLevel, direct: LoadPoint, via: LoadPoint, url: string): string {
  const last = ({ windows }: LoadPoint) => formatMs(windows.at(-1)?.avgUs);
  return `${levelText(level)}, pair ${direct.windows.length}: mean latency ${last(direct)} ms directly, ${last(via)} ms through ${url}`;
}

/**
 * One level directly and through the gateway, by short looks in turns, until the difference is told.
 * Throws as {@link LoadTool.measure}.
 */
export async function measureWay(
  tool: LoadTool,
  asked: MeasureInput,
  via: NonNullable<ServerLoad['via']>,
): Promise<LoadPoint> {
  const begin = tool.levelInTurns?.bind(tool);
  if (begin === undefined) throw new Error(`The load tool "${tool.id}" does not measure in turns`);
  const input: MeasureInput = { ...asked, looks: true };
  const url = gatewayUrl({ via, protocol: input.protocol }) ?? via.address;
  const direct = begin(input);
  const through = begin({
    ...input,
    sentTo: via,
    workDir: `${input.workDir}-via`,
    onWindow: () => undefined,
  });
  const lookThrough = () =>
    through.next().catch((error: unknown) => {
      throw throughGateway(url, error);
    });
  const points: { direct: LoadPoint | null; via: LoadPoint | null } = { direct: null, via: null };
  for (let look = 0; look < 2 * mostPairs; look += 1) {
    if (inTurnOrder(look) === 1) points.direct = await direct.next();
    else points.via = await lookThrough();
    if (look % 2 === 0 || points.direct === null || points.via === null) continue;
    asked.onLog([pairLine(asked.level, points.direct, points.via, url)]);
    const { windows } = points.direct;
    if (windows.length >= fewestPairs && isWayTold(wayRowsOf(windows, points.via.windows))) break;
  }
  if (points.direct === null || points.via === null) throw new Error('A level has a look at each side');
  // Turns are those with other levels.
  return { ...points.direct, turns: undefined, way: wayOf(points.direct, points.via, url) };
}
