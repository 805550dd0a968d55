import { isAbsolute } from 'node:path';
import type { RunSpec } from '../contract/run-spec';
import type { RuleFinding } from './rule-finding';
import { problem, warning } from './rule-finding';

const files = ['caFile', 'certFile', 'keyFile'] as const;

/** What the files of TLS and the address say together; whether a server takes them is known when one is asked. */
export function tlsFindings({ engine, performance }: RunSpec): RuleFinding[] {
  if (engine.kind !== 'remote' || engine.tls === undefined) return [];
  const { tls } = engine;
  const found: RuleFinding[] = files.flatMap((name) => {
    const path = tls[name];
    return path === undefined || isAbsolute(path)
      ? []
      : [
          problem(
            `engine.tls.${name}`,
            `"${path}" is not an absolute path`,
            'Use an absolute path, starting with "/".',
          ),
        ];
  });
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const missing = tls.certFile === undefined ? 'certFile' : 'keyFile';
    const what = 'A client certificate needs its key, and a key needs its certificate';
    found.push(problem(`engine.tls.${missing}`, what, 'Set both, or neither.'));
  }
  if (!engine.url.startsWith('https:') && Object.keys(tls).length > 0) {
    const remedy = 'Use an address of the form https://host:port, or clear the TLS fields.';
    found.push(warning('engine.url', 'The TLS fields have no effect on an http address', remedy));
  }
  const analyzer = performance.loadTool === 'perf_analyzer' || performance.crossCheck;
  if (tls.serverName !== undefined && analyzer) {
    found.push(
      problem(
        'engine.tls.serverName',
        'perf_analyzer checks the certificate only against the host of the address',
        'Leave the name empty, or measure only with the native generator.',
        'combination-unsupported',
      ),
    );
  }
  return found;
}
