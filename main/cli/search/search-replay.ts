import { resolve } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { emptyReach } from '../../contract/reach';
import type { SearchRequest, SearchStrategy } from '../../contract/study/search';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { replayIn } from '../../domain/study/search/replay-load';
import { readDuration, readNumber } from '../read-values';
import type { Verb } from '../verb';

export interface ReplayOptions {
  readonly replay?: string;
  readonly speed?: string;
  readonly from?: string;
  readonly to?: string;
}

export const addReplayOptions = (verb: Verb): Verb =>
  verb
    .option(
      '--replay <file>',
      'requests at the times of a recorded trace in place of Poisson arrivals, sped up or slowed down to the rate',
    )
    .option('--speed <factor>', 'with --objective latency: how many times as fast as recorded; default: 1')
    .option('--from <time>', 'start of the part of the trace that is sent, e.g. 10m')
    .option('--to <time>', 'end of that part');

function speedOf(text: string): number {
  const speed = readNumber('--speed', text);
  if (speed > 0 && speed <= 1e6) return speed;
  throw invalidInput('--speed', `"${text}" is not a speed`, 'Give a number above 0, for example 2.');
}

function secondsOf(flag: string, text: string): number {
  const seconds = readDuration(flag, text, 's');
  if (seconds >= 0) return seconds;
  throw invalidInput(flag, `"${text}" is not a time from the start of the trace`, 'For example 90s or 10m.');
}

/** The trace that was named on the command line, which is consent to read it. Throws input-invalid. */
export async function replayOf(
  core: Core,
  { replay: file, speed, from, to }: ReplayOptions,
): Promise<Pick<SearchRequest, 'replay'>> {
  if (file === undefined) {
    const [flag] = Object.entries(present({ '--speed': speed, '--from': from, '--to': to })).map(
      ([name]) => name,
    );
    if (flag === undefined) return {};
    throw invalidInput(
      flag,
      `${flag} applies only with a replayed trace`,
      'Add --replay FILE, or leave it out.',
    );
  }
  const path = resolve(file);
  const fromS = from === undefined ? 0 : secondsOf('--from', from);
  const toS = to === undefined ? undefined : secondsOf('--to', to);
  if (toS !== undefined && toS <= fromS) {
    throw invalidInput('--to', 'The end of the part is not after its start', 'Give a later end.');
  }
  await core.handlers['approvals.give']({ path });
  return {
    replay: {
      file: path,
      speed: speed === undefined ? 1 : speedOf(speed),
      fromS,
      ...present({ toS }),
    },
  };
}

/** The trace may be read again where the search is resumed before anything of it was kept. */
export async function approveReplay(core: Core, search: SearchStrategy): Promise<void> {
  const replay = replayIn(search);
  if (replay === null) return;
  const paths = [{ field: 'performance.replay.file', value: replay.file }];
  await core.handlers['approvals.add']({ ...emptyReach, paths });
}
