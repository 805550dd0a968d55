import type { CallInput } from '../../main/contract/api';
import { WorkbenchError } from '../../main/contract/errors';
import type { Reach } from '../../main/contract/reach';
import { emptyReach, isEmptyReach, reachOf } from '../../main/contract/reach';
import type { Core } from '../../main/core';
import { pathReach } from '../../main/store/approvals';
import type { ConsentQuestion } from './consent-question';
import { reachOfContent, reachQuestion, runQuestion, trustQuestion } from './consent-question';

type CoreHandlers = Core['handlers'];

/** The calls of the page that name a path, an image or another machine, or that lead to code being run. */
export type ConfirmedCall =
  | 'models.open'
  | 'models.trust'
  | 'runs.start'
  | 'runs.resume'
  | 'runs.rerunFrom'
  | 'runs.planChange'
  | 'runs.change'
  | 'runs.trust'
  | 'runs.check'
  | 'runs.import'
  | 'spec.preview'
  | 'spec.choice'
  | 'spec.editConfig'
  | 'spec.export'
  | 'spec.import'
  | 'docker.pullImage'
  | 'monitor.start';

/** Asks in a native dialog; true: the person agreed. */
export type AskForConsent = (question: ConsentQuestion) => Promise<boolean>;

const refused = (what: string): WorkbenchError =>
  new WorkbenchError('not-trusted', `You did not agree: ${what}`, {
    remedy: 'Start again, and agree if you chose it yourself.',
  });

const sourcePath = (spec: unknown): Reach => ({
  ...emptyReach,
  paths: reachOf(spec).paths.filter(({ field }) => field === 'model.source.path'),
});

/**
 * The core's calls, past the person: what the page names and neither a dialog, a drop nor an earlier agreement gave is
 * asked for natively before the core hears of it. While a form is filled in nothing is asked; an own model that nobody
 * opened here is then refused.
 */
export function confirmedCalls(
  core: Pick<Core, 'approvals' | 'getRun' | 'modelCode' | 'readers' | 'runContent' | 'trustRun'> & {
    readonly handlers: Pick<CoreHandlers, Exclude<ConfirmedCall, 'runs.trust'>>;
  },
  askNatively: AskForConsent,
): Pick<CoreHandlers, ConfirmedCall> {
  const { handlers, approvals, readers } = core;
  const turn: { tail: Promise<unknown> } = { tail: Promise.resolve() };
  // One dialog at a time, and none for what the one before it answered.
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = turn.tail.then(work);
    turn.tail = done.catch(() => undefined);
    return done;
  };
  const ensure = (reach: Reach): Promise<void> =>
    inTurn(async () => {
      const missing = await approvals.missing(reach);
      if (!isEmptyReach(missing)) {
        const values = [...missing.paths, ...missing.images, ...missing.hosts].map(({ value }) => value);
        if (!(await askNatively(reachQuestion(missing)))) throw refused(values.join(', '));
      }
      await approvals.add(reach);
    });
  const requireOpened = async (spec: unknown): Promise<void> => {
    const [missing] = (await approvals.missing(sourcePath(spec))).paths;
    if (missing === undefined) return;
    throw new WorkbenchError('not-trusted', `The model ${missing.value} was not opened in this window`, {
      where: missing.field,
      remedy: 'Open it on the Model page of the wizard.',
    });
  };
  const reachOfRun = async ({ runId }: { readonly runId: string }): Promise<Reach> =>
    reachOf((await core.getRun(runId)).state.spec);
  return {
    'models.open': async (input) => {
      await ensure(pathReach('model', input.path));
      const opened = await handlers['models.open'](input);
      // Of a saved_model.pb the model is the folder that it lies in.
      await approvals.add(pathReach('model', opened.path));
      return opened;
    },
    'models.trust': async (input) => {
      await ensure(pathReach('model', input.path));
      const sha256 = await inTurn(async () => {
        const code = await core.modelCode(input.path);
        if (await askNatively(trustQuestion(code))) return code.sha256;
        throw refused(code.path);
      });
      // Of the very content that was shown.
      return handlers['models.trust']({ ...input, sha256 });
    },
    'runs.start': async (input) => {
      await ensure(reachOf(input.spec));
      return handlers['runs.start'](input);
    },
    'runs.resume': async (input) => {
      await ensure(await reachOfRun(input));
      return handlers['runs.resume'](input);
    },
    'runs.rerunFrom': async (input) => {
      await ensure(await reachOfRun(input));
      return handlers['runs.rerunFrom'](input);
    },
    'runs.planChange': async (input) => {
      await requireOpened(input.spec);
      return handlers['runs.planChange'](input);
    },
    'runs.change': async (input) => {
      await ensure(reachOf(input.spec));
      return handlers['runs.change'](input);
    },
    'runs.trust': async ({ runId }) => {
      const content = await core.runContent(runId);
      await inTurn(async () => {
        if (!(await askNatively(runQuestion(content)))) throw refused(content.dir);
        // Of the very content that was shown.
        await core.trustRun(runId, content.hash);
        await approvals.add(reachOfContent(content));
      });
      return null;
    },
    'runs.check': async (input) => {
      await requireOpened(input.spec);
      return handlers['runs.check'](input);
    },
    'runs.import': async (input) => {
      await ensure(pathReach('import', input.path));
      return handlers['runs.import'](input);
    },
    'spec.preview': async (input) => {
      await requireOpened(input.overrides);
      return handlers['spec.preview'](input);
    },
    'spec.editConfig': async (input) => {
      await requireOpened(input.overrides);
      return handlers['spec.editConfig'](input);
    },
    'spec.export': async (input) => {
      await requireOpened(input.overrides);
      return handlers['spec.export'](input);
    },
    'spec.choice': async (input) => {
      await ensure(sourcePath(input.spec));
      return handlers['spec.choice'](input);
    },
    'spec.import': async (input) => {
      const { source } = await readers.specModel({ text: input.text, fileName: input.fileName });
      await ensure(sourcePath({ model: { source } }));
      await requireOpened(input.overrides);
      return handlers['spec.import'](input);
    },
    'docker.pullImage': async (input) => {
      await ensure({ ...emptyReach, images: [{ field: 'pull', value: input.reference }] });
      return handlers['docker.pullImage'](input);
    },
    'monitor.start': async (input: CallInput<'monitor.start'>) => {
      await ensure({ ...reachOf({ engine: { tls: input.tls } }), images: [], hosts: [] });
      return handlers['monitor.start'](input);
    },
  };
}
