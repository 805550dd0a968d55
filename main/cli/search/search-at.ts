import { isLoopback, parseRemoteUrl, shownAddress, withScheme } from '../../contract/address';
import { invalidInput } from '../../contract/errors';
import type { RunSpec } from '../../contract/run/run-spec';
import type { SearchRequest } from '../../contract/study/search';
import type { LoadQuestion } from '../../contract/study/study';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { ask, type Output } from '../output';
import type { Verb } from '../verb';

/** Where a search serves and measures. */
export interface SearchAtOptions {
  readonly host?: string;
  readonly url?: string;
  readonly metricsUrl?: string;
  readonly allowRemoteLoad?: boolean;
  readonly yes?: boolean;
}

/** @param what "with --measure: " */
export const addServerOptions = (verb: Verb, what = ''): Verb =>
  verb
    .option(
      '-u, --url <address>',
      `${what}serve on a Triton that is already running and allows loading, e.g. localhost:8000`,
    )
    .option(
      '--metrics-url <address>',
      `${what}host and port of the metrics of that Triton; default: HTTP port + 2`,
    )
    .option('--allow-remote-load', `${what}allow load on a Triton on another machine`)
    .option('-y, --yes', `${what}load the configurations on that Triton without asking`);

export const addAtOptions = (verb: Verb): Verb =>
  addServerOptions(
    verb.option('--host <name>', 'serve and measure on a host of "hosts list", with its Docker Engine'),
  );

/** "localhost:8000" for "8000". */
const withHost = (url: string): string =>
  /^:?\d{1,5}$/.test(url) ? `localhost:${url.replace(':', '')}` : url;

/**
 * Where the configurations are served; records the consent to another machine, before anything is asked there. Throws
 * input-invalid.
 */
export async function searchAt(
  core: Core,
  { host, url: given, metricsUrl, allowRemoteLoad = false, yes }: SearchAtOptions,
): Promise<Pick<SearchRequest, 'server' | 'host'>> {
  if (given === undefined) {
    const [flag] = Object.entries({
      '--metrics-url': metricsUrl,
      '--allow-remote-load': allowRemoteLoad ? true : undefined,
      '--yes': yes,
    }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (flag === undefined) return present({ host });
    throw invalidInput(
      flag,
      `${flag} applies only to a Triton that is already running`,
      'Add its address (-u HOST:PORT).',
    );
  }
  const url = await approvedUrl(core, given, allowRemoteLoad);
  const metrics = metricsUrl?.replace(/^http:\/\//, '').replace(/\/metrics\/?$/, '');
  // The plan refuses both.
  return { server: { url, ...present({ metrics }) }, ...present({ host }) };
}

/**
 * The address of a running Triton that may receive load; that a person named another machine is recorded.
 * Throws input-invalid for another machine without `allowRemoteLoad`.
 */
export async function approvedUrl(core: Core, given: string, allowRemoteLoad: boolean): Promise<string> {
  const url = withHost(given);
  const { http } = parseRemoteUrl(url);
  if (!isLoopback(http) && !allowRemoteLoad) {
    const message = `${shownAddress(http)} is another machine and would receive the load`;
    throw invalidInput('--url', message, 'To allow it, add --allow-remote-load.');
  }
  if (allowRemoteLoad) {
    const spec = { engine: { kind: 'remote', url: withScheme(url) } } as const;
    await core.handlers['approvals.given']({ spec, allowRemoteLoad, typed: spec });
  }
  return url;
}

/** Records that the person named the host. */
export async function approveHost(core: Core, host: string | undefined): Promise<void> {
  if (host === undefined) return;
  const engine: RunSpec['engine'] = { kind: 'docker', host, gpus: [], shmSizeMiB: 64 };
  const spec = { engine };
  await core.handlers['approvals.given']({ spec, typed: spec });
}

/** @param asks absent: nothing is loaded. @returns whether it is wanted. Throws input-invalid without a terminal, cancelled. */
export async function agreedToLoad(
  output: Output,
  verb: string,
  asks: LoadQuestion | undefined,
  yes = false,
): Promise<boolean> {
  if (asks === undefined || yes) return true;
  return ask(output, verb, {
    question: asks.question,
    nothing: 'Nothing was loaded',
    ...{ withYes: 'Add --yes to load without asking', otherwise: 'see what would be done with --dry-run' },
  });
}
