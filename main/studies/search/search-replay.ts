import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { isEmptyReach } from '../../contract/reach';
import type { SearchRequest, SearchStrategy } from '../../contract/study/search';
import { recordedRate, replayIn } from '../../domain/study/search/replay-load';
import type { InputReaders } from '../../perf/input/input-readers';
import { keepReplay } from '../../perf/replay/arrivals';
import { busiestPart, readKeptTrace, traceText } from '../../perf/replay/trace-part';
import { makeFolder, writeFileAtomic } from '../../platform/files';
import { type Approvals, pathReach } from '../../store/approvals';
import type { LookInput } from './measure-look';

interface ReplayHands {
  readonly approvals: Pick<Approvals, 'missing'>;
  readonly reading: { readonly readers: Pick<InputReaders, 'replayRead' | 'replayStore'> };
}

const field = 'performance.replay.file';

/** The page names a path; the person agreed to it by choosing the file. Throws not-trusted. */
export async function requireAgreed(approvals: Pick<Approvals, 'missing'>, path: string): Promise<void> {
  if (isEmptyReach(await approvals.missing(pathReach(field, path)))) return;
  throw new WorkbenchError('not-trusted', `The measurement would read ${path}`, {
    where: field,
    remedy: 'Choose the file with the button beside the field.',
  });
}

/** The request with what its trace has, where it replays one. Throws not-trusted, and input-invalid with the line. */
export async function withReplayRead<Request extends Pick<SearchRequest, 'replay'>>(
  { approvals, reading }: ReplayHands,
  request: Request,
  modelName: string,
): Promise<Request> {
  const { replay } = request;
  if (replay === undefined) return request;
  const { file, fromS, toS } = replay;
  await requireAgreed(approvals, file);
  const read = await reading.readers.replayRead({ file, fromS, toS, models: [modelName] });
  return { ...request, replay: { ...replay, read } };
}

/**
 * What each look sends of the trace of a search, which is kept in the folder of the study; undefined: it replays none.
 * Throws as {@link keepReplay}.
 * @param dir of the study, absolute
 */
export async function searchedReplay(
  { approvals, reading }: ReplayHands,
  search: SearchStrategy,
  dir: string,
  modelName: string,
): Promise<LookInput['replay']> {
  const replay = replayIn(search);
  if (replay === null) return undefined;
  const kept = join(dir, 'replay.csv');
  await makeFolder(dir);
  const part = { ...replay, models: [modelName] };
  await keepReplay(reading.readers, part, kept, () => requireAgreed(approvals, replay.file));
  const rows = await readKeptTrace(kept);
  return async ({ requestRate, ms }, to) => {
    const speed = requestRate / recordedRate(replay);
    await writeFileAtomic(to, traceText(busiestPart(rows, 1000 * ms * speed)));
    return { ...replay, speed };
  };
}
