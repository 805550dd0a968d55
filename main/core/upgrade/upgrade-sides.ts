import { join } from 'node:path';
import { hostOf, visibleGpus } from '../../contract/run/engine-kinds';
import { ofScenario } from '../../contract/run/sweep';
import type {
  UpgradeLoad,
  UpgradeNumber,
  UpgradeStrategy,
  UpgradeSubject,
} from '../../contract/study/upgrade';
import { present } from '../../contract/trees';
import { servingOnly } from '../../deployments/deployable-run';
import { DeploymentStore } from '../../deployments/deployment-store';
import { keptConfig } from '../../deployments/switch-version';
import { checkedBy, keptDifference, readSamples } from '../../deployments/version-check';
import { isFloating } from '../../domain/outputs/decoded-tensor';
import { toleranceRule } from '../../domain/outputs/rule-text';
import { answeredInOrder, requireAnswered, timedUs, unloadAll } from '../../engine/cold-start';
import type { Executor } from '../../engine/engine';
import { readServerMemory } from '../../engine/server-memory';
import { whileServing } from '../../engine/serving';
import { askModel } from '../../golden/ask-model';
import { sampleCount, sampleRequest } from '../../golden/sample-request';
import { readInput } from '../../pipeline/measure/run-input';
import { measureLook } from '../../studies/search/measure-look';
import { onExecutor, type PlaceHands } from '../../studies/search/search-place';
import type { AskedSide } from '../../studies/upgrade/compare-sides';
import type { ServedSide, UpgradeHands, UpgradeSides } from '../../studies/upgrade/upgrades';
import { datatypeOf, type ModelConfig } from '../../triton/model-config';
import type { Tensor } from '../../triton/tensor';
import type { CoreParts } from '../core-parts';
import { gpusOf } from '../host-gpus';
import { openedModel, placeHandsOf, requireBeside } from '../search/contests';
import { type OwnTriton, startOwnTriton } from '../search/own-triton';
import { runOn } from './upgrade-engine';

type Place = Parameters<UpgradeHands['withSides']>[1];
type Model = Awaited<ReturnType<typeof openedModel>>;
type Images = Parameters<Parameters<typeof onExecutor>[2]>[1];

/** Requests whose outputs are compared, at batch size 1 and at each larger one. */
const comparedRequests = { single: 8, batch: 2 } as const;

/** Inputs of the run, so many rows each. */
function requestsOf({ folder }: Model, { maxBatchSize }: ModelConfig): UpgradeSides['requestsOf'] {
  const batched = maxBatchSize > 0;
  return async (batchSize) => {
    const { inputData, inputDataDir: dir } = await readInput(folder, batched);
    const most = batchSize === 1 ? comparedRequests.single : comparedRequests.batch;
    const count = Math.min(most, Math.max(1, Math.ceil(sampleCount(inputData) / batchSize)));
    const requests: Tensor[][] = [];
    for (let at = 0; at < count; at += 1) {
      requests.push(await sampleRequest({ inputData, dir, batched }, at, batchSize));
    }
    return requests;
  };
}

/** Those that the run was accepted by: of its golden file, else its tolerances for outputs of floats. */
async function rulesOf({ samples, variantOf, verified }: Model): Promise<UpgradeSides['rules']> {
  const { check, configOf, name } = variantOf(verified);
  const kept = samples === null ? null : await readSamples(samples);
  const floats = configOf(name).output.filter(({ dataType }) =>
    isFloating({ datatype: datatypeOf(dataType) }),
  );
  const own = Object.fromEntries(floats.map((output) => [output.name, toleranceRule(check, output.name)]));
  return { ...own, ...kept?.rules };
}

/** With the configuration of the deployment, which may be that of a search. */
async function modelOf(parts: CoreParts, subject: UpgradeSubject): Promise<Model> {
  const model = await openedModel(parts, subject.runId, requireBeside);
  if (subject.kind === 'run') return model;
  const { id, model: name, version } = subject;
  const { folder } = await new DeploymentStore(parts.layout.deployments).load(id);
  const config = await keptConfig(folder, { model: name, version });
  const { version: own } = model.variantOf(model.verified);
  return { ...model, verified: { configOf: (modelName) => servingOnly(config, own, modelName) } };
}

interface Serving {
  readonly parts: CoreParts;
  readonly upgrade: UpgradeStrategy;
  readonly model: Model;
  readonly own: OwnTriton;
  readonly requests: UpgradeSides['requestsOf'];
  readonly signal: AbortSignal;
}

/** How its model is asked. */
const askedOf = ({ client, config, variant, server }: OwnTriton) => ({
  ...{ client, config, model: config.name, version: String(variant.version) },
  grpc: { address: server.grpcAddress, tls: null },
});

function askedSide({ model, own, signal }: Serving): AskedSide {
  const { server, client, config, variant } = own;
  const asked = askedOf(own);
  const during = <Value>(work: (until: AbortSignal) => Promise<Value>): Promise<Value> =>
    whileServing(server, signal, 'while its outputs were compared', work);
  return {
    ask: (inputs) => during((until) => askModel(asked, inputs, until)),
    checkReference: async () => {
      const { samples: kept } = model;
      if (kept === null) return { samples: 0, difference: null };
      const { checkedSamples: samples, golden } = checkedBy(await readSamples(kept));
      const { version, check } = variant;
      const difference = await during((until) =>
        keptDifference(
          {
            ...{ client, model: config.name, version, kept, config, signal: until },
            grpcAddress: server.grpcAddress,
          },
          check,
        ),
      );
      return { samples, ...present({ golden }), difference };
    },
  };
}

const msSince = (began: number): number => performance.now() - began;

async function loadedOnce({
  parts,
  upgrade,
  own,
  requests,
  signal,
}: Serving): Promise<Omit<UpgradeLoad, 'side'>> {
  const { server, client, place } = own;
  const sizes = upgrade.batchSizes;
  const firsts = await Promise.all(
    sizes.map(async (batchSize) => ({ batchSize, inputs: (await requests(batchSize))[0] ?? [] })),
  );
  return whileServing(server, signal, 'while it loaded the model', async (until) => {
    await unloadAll(client, until);
    const loadUs = await timedUs(() => own.loadOnly(until));
    const asked = askedOf(own);
    const found = await answeredInOrder(firsts, { send: (inputs) => askModel(asked, inputs, until) });
    requireAnswered(found);
    await own.warm(sizes, until);
    const gpus = gpusOf(parts, place.host);
    const firstUs = found.flatMap(({ batchSize, firstUs: us }) => (us === null ? [] : [{ batchSize, us }]));
    return { loadMs: loadUs / 1000, firstUs, ...(await readServerMemory(server, gpus.read)) };
  });
}

async function openSide(
  serving: Omit<Serving, 'own'>,
  { executor, images }: { readonly executor: Executor; readonly images: Images },
  place: Place,
  closing: (() => Promise<void>)[],
): Promise<ServedSide & { readonly own: OwnTriton }> {
  const began = performance.now();
  const own = await startOwnTriton(executor, serving.model, place);
  closing.push(own.close);
  const startMs = msSince(began);
  const { server, config, warm, load } = own;
  await whileServing(server, serving.signal, 'while it loaded the model', async (until) => {
    await load(until);
    await warm(serving.upgrade.batchSizes, until);
  });
  const image = images.find(({ role }) => role === 'triton');
  return {
    ...askedSide({ ...serving, own }),
    own,
    about: {
      ...{ place: own.place, startMs },
      ...present({ image: image && { id: image.id, reference: image.reference } }),
    },
    served: { server, modelName: config.name, taken: [] },
    load: () => loadedOnce({ ...serving, own }),
  };
}

/** The machine is taken already, by the other side. */
const inTurnAlready = (hands: PlaceHands): PlaceHands => ({
  ...hands,
  takeTurn: () => Promise.resolve(() => Promise.resolve()),
});

/** Looks at either side, as a comparison in turns has them. */
function measureOf(parts: CoreParts, model: Model, { level }: UpgradeStrategy, dir: string) {
  const performance = ofScenario(model.spec.performance, 'online');
  const { batchSize } = level;
  const input = model.lookOf({}, { batchSize, percentile: 99, tool: parts.loadTools.native, performance });
  const { engine } = model.spec;
  const watchGpus = (visibleGpus(engine) ?? []).length > 0 ? gpusOf(parts, hostOf(engine)).watch : null;
  return (
    { due, served }: { due: Parameters<typeof measureLook>[1]; served: ServedSide['served'] },
    { there }: OwnTriton,
    signal: AbortSignal,
  ) => measureLook(() => input, due, [served], { dir, signal, watchGpus, there });
}

/** Two Tritons with the same files, each in its serving environment. */
export const upgradeSidesOf = (parts: CoreParts): Pick<UpgradeHands, 'withSides'> => ({
  withSides: async (upgrade, { name, dir, signal }, work) => {
    const base = await modelOf(parts, upgrade.subject);
    const hands = placeHandsOf(parts);
    const sideOf = (number: UpgradeNumber) => {
      const state = runOn(base.state, upgrade.sides[number - 1] ?? { title: '' });
      const own = number === 1 ? { name, dir: join(dir, 'a') } : { name: `${name}-to`, dir: join(dir, 'b') };
      return { model: { ...base, state, spec: state.source.spec }, place: { ...own, run: state, signal } };
    };
    const [first, second] = [sideOf(1), sideOf(2)];
    const config = base.verified.configOf(base.variantOf(base.verified).name);
    const requests = requestsOf(base, config);
    await onExecutor(hands, first.place, async (executor, images) =>
      onExecutor(inTurnAlready(hands), second.place, async (next, nextImages) => {
        const closing: (() => Promise<void>)[] = [];
        const opened = new Map<ServedSide['served'], OwnTriton>();
        const measure = measureOf(parts, base, upgrade, join(dir, 'a'));
        try {
          await work({
            requestsOf: requests,
            rules: await rulesOf(base),
            open: async (number) => {
              const [side, place, own] =
                number === 1 ? [first, executor, images] : [second, next, nextImages];
              const { own: triton, ...served } = await openSide(
                { parts, upgrade, model: side.model, requests, signal },
                { executor: place, images: own },
                side.place,
                closing,
              );
              opened.set(served.served, triton);
              return served;
            },
            measure: (due, served) => {
              const own = opened.get(served);
              if (own === undefined) throw new Error(`Side ${due.candidate} was not opened`);
              return measure({ due, served }, own, signal);
            },
          });
        } finally {
          await Promise.all(closing.map((close) => close()));
        }
      }),
    );
  },
});
