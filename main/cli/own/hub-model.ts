import type { DataWork } from '../../contract/data-source';
import { WorkbenchError } from '../../contract/errors';
import { type HubModel, hubModelText, isHubReference } from '../../contract/own/hub';
import type { Core } from '../../core';
import { ask, createOutput, followWork, type Output, progressOf } from '../output';

/** Reports progress until the download ends. Ctrl-C cancels; what is complete is kept. */
export function followDownload(core: Core, workId: string, output: Output): Promise<DataWork> {
  return followWork(output, {
    subscribe: (listener) =>
      core.subscribe((event) => {
        if (event.type === 'data-work' && event.work.id === workId) listener(event.work.title, event.work);
      }),
    cancel: () => void core.handlers['data.cancel']({ workId }),
    ended: () => core.handlers['data.ended']({ workId }),
  });
}

/** Asks the hub; the first call installs what asks it. */
async function look(core: Core, reference: string, output: Output): Promise<HubModel> {
  const shown = progressOf(output);
  const stop = new AbortController();
  const cancel = () => {
    stop.abort();
  };
  process.once('SIGINT', cancel);
  const moving = { is: false };
  const onProgress = (text: string) => {
    if (!shown.live) return;
    moving.is = true;
    shown.rewrite(`${reference}: ${text}`);
  };
  try {
    return await core.handlers['models.lookHub']({ reference, signal: stop.signal, onProgress });
  } finally {
    if (moving.is) shown.rewrite('');
    process.off('SIGINT', cancel);
  }
}

const declined = (reference: string): WorkbenchError =>
  new WorkbenchError('cancelled', 'Nothing was downloaded', {
    where: reference,
    remedy: 'Start it again, or name another revision: hf:ORG/NAME@REVISION.',
  });

/** Says the size, and downloads what is missing. @returns the folder. Throws cancelled, and what the download throws. */
export async function fetchHubModel(
  core: Core,
  reference: string,
  output: Output,
  agreed: (model: HubModel) => Promise<boolean>,
): Promise<string> {
  const model = await look(core, reference, output);
  if (model.note !== null) output.say(model.note);
  if (model.path !== null) return model.path;
  output.say(hubModelText(model));
  if (model.missingBytes > 0 && !(await agreed(model))) throw declined(reference);
  const { workId } = await core.handlers['models.fetch']({ reference, revision: model.revision });
  const { path } = await followDownload(core, workId, output);
  if (path === null) throw declined(reference);
  return path;
}

interface AskOptions {
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** The folder of a model of the hub, for a verb that takes a model. null: something else. Asks before it downloads. */
export async function hubFolder(core: Core, argument: string, options: AskOptions): Promise<string | null> {
  if (!isHubReference(argument)) return null;
  const { yes = false, json = false } = options;
  const output: Output = { ...createOutput(true), json: false };
  return fetchHubModel(core, argument, output, async () =>
    yes
      ? true
      : ask({ ...output, json }, argument, {
          question: 'Download it?',
          nothing: 'Nothing was downloaded',
          withYes: 'Add --yes to "run" to download it without asking',
          otherwise: `download it first: data fetch ${argument}`,
        }),
  );
}
