import { z } from 'zod';
import type { Handlers } from '../contract/api';
import type { OpenedModel } from '../contract/run/own-model';
import { sourceSchema } from '../contract/run/run-spec';
import { silentListener, type Toolkit } from '../toolkit/toolkit';
import type { ModelReaders } from './model-readers';
import { openModel, type OpenModelTools } from './open-model';
import { createTrust, type Trust } from './trust';

export interface OwnModels {
  readonly handlers: Pick<Handlers, 'models.open' | 'models.trust'>;
  readonly trust: Trust;
  /** Reads what trusting the model at a path would trust. Throws as `models.open`. */
  code(path: string): Promise<ModelCode>;
}

/** What a person who trusts a model is shown. */
export interface ModelCode {
  readonly path: string;
  readonly kind: OpenedModel['kind'];
  /** Empty where the model is data only. */
  readonly files: OpenedModel['code'];
  /** SHA-256 (hex) over names and contents of all of it. */
  readonly sha256: string;
}

interface OwnModelsOptions {
  /** `trusted.json` of the home. */
  readonly trustFile: string;
  readonly toolkit: Toolkit;
  readonly readers: ModelReaders;
  readonly now: () => Date;
}

/** What else the toolkit says of the file is not part of the source. */
const inspected = z.object(sourceSchema.pick({ inputs: true, outputs: true, batched: true }).shape);

/** Opening and trusting of the engineer's own models. */
export function createOwnModels({ trustFile, toolkit, readers, now }: OwnModelsOptions): OwnModels {
  const trust = createTrust(trustFile, now, readers);
  const inspect: OpenModelTools['inspect'] = async (path, inputs) => {
    const args = [['--path', path] as const, ['--inputs', JSON.stringify(inputs)] as const];
    return toolkit.call({ verb: 'inspect', args }, inspected, silentListener(AbortSignal.timeout(120_000)));
  };
  const tools = { trust, readers, inspect };
  return {
    trust,
    handlers: {
      'models.open': (input) => openModel(input, tools),
      'models.trust': async ({ sha256, ...input }) => {
        const { kind, path } = await openModel(input, tools);
        await trust.trust({ kind, path }, sha256);
        return openModel(input, tools);
      },
    },
    code: async (given) => {
      const { kind, path, code: files } = await openModel({ path: given }, tools);
      return { kind, path, files, sha256: await trust.hash({ kind, path }) };
    },
  };
}
