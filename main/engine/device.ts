import { isLoopback } from '../contract/loopback';
import type { RunSpec } from '../contract/run-spec';

export const thisMachine = 'this machine';

/** The machine that the load falls on when this address is measured: its host, or this machine. */
export function deviceOfUrl(url: string): string {
  const { hostname } = new URL(url);
  return isLoopback(hostname) ? thisMachine : `host ${hostname}`;
}

/** What a run measures on; two runs that measure on the same would spoil each other's figures. */
export function deviceOf(engine: RunSpec['engine']): string {
  return engine.kind === 'remote' ? deviceOfUrl(engine.url) : thisMachine;
}
