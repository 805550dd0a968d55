import type { WireError } from '../contract/errors';
import { fromWire } from '../contract/errors';
import type { Output } from './output';

/** What all work in the background says of itself: downloads, pulls, builds. */
interface Work {
  readonly fraction: number | null;
  readonly text: string;
  readonly error: WireError | null;
}

export interface FollowedWork<Kind extends Work> {
  /** Told of every change. Returns the disposer. */
  subscribe(listener: (title: string, work: Work) => void): () => void;
  cancel(): void;
  ended(): Promise<Kind>;
}

/** Waits for the end of the work with its progress told; Ctrl-C cancels. Throws what the work failed with. */
export async function followWork<Kind extends Work>(
  output: Output,
  followed: FollowedWork<Kind>,
): Promise<Kind> {
  let seen = '';
  const stop = followed.subscribe((title, { text, fraction }) => {
    if (text === seen) return;
    seen = text;
    const share = fraction === null ? '' : ` (${Math.round(fraction * 100)} %)`;
    const line = `${title}: ${text}${share}`;
    if (output.live) output.rewrite(line);
    else output.say(line);
  });
  const cancel = () => {
    followed.cancel();
  };
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  try {
    const work = await followed.ended();
    if (output.live) output.say('');
    if (work.error !== null) throw fromWire(work.error);
    return work;
  } finally {
    stop();
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}
