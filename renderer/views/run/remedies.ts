import type { ErrorCode, WireError } from '../../../main/contract/errors';
import { isElsewhere } from '../../../main/contract/run/engine-kinds';
import { bySource } from '../../../main/contract/run/run-source';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import type { RunState } from '../../../main/contract/run/run-state';

export type RemedyAction =
  'edit' | 'measure-unverified' | 'free-port' | 'environment' | 'containers' | 'resume';

const byCode: Readonly<Record<ErrorCode, readonly RemedyAction[]>> = {
  'input-invalid': ['edit'],
  'spec-invalid': ['edit'],
  'config-invalid': ['edit'],
  'preset-unknown': ['edit'],
  'model-folder-invalid': ['edit'],
  'model-file-invalid': ['edit'],
  'not-trusted': ['edit'],
  'checkpoint-invalid': ['edit'],
  'combination-unsupported': ['edit'],
  'run-unknown': [],
  'run-busy': ['resume'],
  'run-folder-exists': ['edit'],
  'deployment-unknown': [],
  'deployment-busy': [],
  'study-unknown': [],
  'study-busy': [],
  'host-unknown': ['edit'],
  'host-unreachable': ['resume', 'edit'],
  'run-folder-unsafe': ['resume'],
  'journal-corrupt': ['edit'],
  'journal-newer': [],
  'toolchain-missing': ['environment', 'edit', 'resume'],
  'toolkit-failed': ['edit', 'resume'],
  'verification-failed': ['edit'],
  'accuracy-below-threshold': ['edit', 'measure-unverified'],
  'job-refused': ['edit', 'resume'],
  'job-ended': ['resume', 'edit'],
  'engine-unavailable': ['environment', 'edit', 'resume'],
  'docker-unreachable': ['environment', 'resume', 'edit'],
  'docker-permission': ['environment', 'resume', 'edit'],
  'docker-failed': ['resume', 'edit'],
  'image-missing': ['containers', 'resume'],
  'image-pull-failed': ['resume', 'containers'],
  'image-build-failed': ['resume', 'containers'],
  'registry-denied': ['containers', 'resume'],
  'container-failed': ['resume', 'edit'],
  'out-of-memory': ['edit', 'resume'],
  'server-start-failed': ['edit', 'resume'],
  'server-gone': ['resume', 'edit'],
  'server-unreachable': ['resume', 'edit'],
  'port-taken': ['free-port', 'resume'],
  'model-load-failed': ['edit'],
  'model-not-ready': ['edit', 'resume'],
  'model-mismatch': ['edit'],
  'inference-failed': ['edit', 'resume'],
  'load-tool-failed': ['resume', 'edit'],
  'measurement-failed': ['resume', 'edit'],
  'deadline-exceeded': ['edit', 'resume'],
  cancelled: ['resume'],
  'report-failed': ['resume'],
  'download-failed': ['resume'],
  'download-invalid': ['resume'],
  'disk-full': ['resume'],
  'file-unwritable': ['resume'],
  internal: ['resume', 'edit'],
};

/** Codes about the content of the user's files, which may differ when the run is resumed. */
const ofContent: ReadonlySet<ErrorCode> = new Set([
  'input-invalid',
  'config-invalid',
  'model-folder-invalid',
  'model-file-invalid',
  'not-trusted',
  'checkpoint-invalid',
  'verification-failed',
  'accuracy-below-threshold',
  'model-load-failed',
  'model-mismatch',
]);

export const needsOtherFiles = ({ code }: Pick<WireError, 'code'>): boolean => ofContent.has(code);

const hasOwnFiles = ({ model, performance }: RunSpec): boolean =>
  model.source !== undefined ||
  model.dataset !== undefined ||
  model.checkpoint !== undefined ||
  performance.inputDataFile !== undefined;

function hasFixedPort({ engine }: RunSpec): boolean {
  return !isElsewhere(engine) && (engine.httpPort ?? engine.grpcPort) !== undefined;
}

/** The first is the main action. Resume is offered only where the same specification may succeed. */
export function remediesOf(
  error: Pick<WireError, 'code'>,
  state: Pick<RunState, 'source' | 'origin'>,
): readonly RemedyAction[] {
  const known = remediesHere(error, state);
  return state.origin === 'foreign' ? known.filter((action) => !continues.has(action)) : known;
}

const continues: ReadonlySet<RemedyAction> = new Set(['resume', 'measure-unverified']);

const remediesHere = (
  { code }: Pick<WireError, 'code'>,
  { source }: Pick<RunState, 'source'>,
): readonly RemedyAction[] =>
  bySource<readonly RemedyAction[]>(source, {
    imported: () => [],
    // The load cannot be changed; the server may answer now.
    server: () => ['resume'],
    deployed: (spec) => {
      const known = byCode[code];
      // Without a fixed port the next attempt takes another one anyway.
      if (code === 'port-taken' && !hasFixedPort(spec)) return ['resume', 'edit'];
      if (ofContent.has(code) && hasOwnFiles(spec)) return [...known, 'resume'];
      return known;
    },
  });
