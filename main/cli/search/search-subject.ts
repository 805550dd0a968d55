import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { isHubReference } from '../../contract/own/hub';
import type { SearchRequest } from '../../contract/study/search';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { runIdOrText } from '../read-values';
import { readChoice } from '../spec-options';

/** Options that say what is made first. */
export interface SubjectOptions {
  readonly set?: readonly string[];
  readonly shape?: readonly string[];
  readonly trust?: boolean;
}

/** A run, or what is made first, with the consent that the command line gives. */
export interface SearchSubject {
  readonly of: Pick<SearchRequest, 'runId' | 'choice'>;
  /** Records what the person agreed to; before the start. */
  readonly approve: () => Promise<void>;
}

/** A specification, not a model: endings of the files that `--spec` reads. */
const specEndings: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json', '.sh', '.env', '.pbtxt']);

async function isOfRun(core: Core, text: string): Promise<string | null> {
  const runId = await runIdOrText(core, text);
  const { runs } = await core.handlers['runs.all'](undefined);
  return runs.some((run) => run.runId === runId) ? runId : null;
}

async function isOfModel(core: Core, text: string): Promise<boolean> {
  const presets = await core.handlers['presets.list'](undefined);
  return (
    presets.some(({ id }) => id === text) || existsSync(text) || /[./]/.test(text) || isHubReference(text)
  );
}

function refuseForRun({ set, shape, trust }: SubjectOptions): void {
  const given = Object.entries({ '--set': set, '--shape': shape, '--trust': trust });
  const [first] = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (first === undefined) return;
  throw invalidInput(
    first,
    `${first} does not apply to a run`,
    'Change the run first with "resume RUN --set", or search a model or a specification.',
  );
}

/** By what was typed: a run, else a preset, a model of the user or a file with a specification. Throws input-invalid. */
export async function readSubject(core: Core, text: string, options: SubjectOptions): Promise<SearchSubject> {
  const runId = await isOfRun(core, text);
  if (runId !== null || !(await isOfModel(core, text))) {
    refuseForRun(options);
    // One that there is not is said to be unknown by who opens it.
    return { of: { runId: runId ?? text }, approve: () => Promise.resolve() };
  }
  const isSpec = existsSync(text) && specEndings.has(extname(text).toLowerCase());
  const { set, shape, trust } = options;
  // A search writes configurations of its own.
  const rewrite = 'quietly' as const;
  const asked = present({ set, shape, trust, rewrite, spec: isSpec ? text : undefined });
  const { typed, ...choice } = await readChoice(core, isSpec ? undefined : text, asked);
  return {
    of: { choice },
    approve: async () => {
      const spec = await core.handlers['spec.resolve'](choice);
      await core.handlers['approvals.given']({
        spec,
        typed,
        ...present({ trust, file: isSpec ? text : undefined }),
      });
    },
  };
}
