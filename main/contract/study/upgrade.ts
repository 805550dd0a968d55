import { z } from 'zod';
import { later } from '../later';
import { comparedOutputSchema } from '../measured/output-rules';
import { runIdPattern } from '../opened';
import { duelLevelSchema } from './duel';
import { ownSubjects } from './own-subjects';
import { type Searched, servedPlaceSchema } from './search';

const positive = z.int().min(1);
const known = z.number().min(0).nullable();
const runId = z.string().regex(runIdPattern);
const side = z.literal([1, 2]);
/** 1: as it is served now; 2: what it may move to. */
export type UpgradeNumber = z.infer<typeof side>;

/** What serves in place of what the run has: a release of NVIDIA's images, an image, or a folder of this machine. */
export const upgradeTargetSchema = later(() =>
  z.union([
    z.strictObject({ release: z.string().regex(/^\d\d\.\d\d$/, 'a release such as 26.07') }),
    z.strictObject({ image: z.string().min(1).max(512) }),
    z.strictObject({ environment: z.string().min(1).max(4096) }),
  ]),
);
export type UpgradeTarget = Readonly<z.infer<typeof upgradeTargetSchema>>;

const sideSchema = later(() =>
  z.strictObject({
    /** "release 26.04", "the home's Triton". */
    title: z.string(),
    /** Absent: as the run has it. */
    target: upgradeTargetSchema.optional(),
  }),
);
export type UpgradeSide = Readonly<z.infer<typeof sideSchema>>;

/** What is known before anything is started. */
const findingSchema = later(() =>
  z.strictObject({
    about: z.enum(['backend', 'flag', 'plan', 'machine', 'package']),
    /** A sentence without its full stop. */
    text: z.string(),
    /** The same files cannot be served there. */
    blocks: z.boolean(),
  }),
);
export type UpgradeFinding = Readonly<z.infer<typeof findingSchema>>;

const subjectSchema = later(() => z.discriminatedUnion('kind', ownSubjects()));
export type UpgradeSubject = Readonly<z.infer<typeof subjectSchema>>;

/** Serves the same files in two serving environments in turns, and says whether they may move from one to the other. */
export const upgradeStrategySchema = z.object({
  kind: z.literal('upgrade'),
  subject: subjectSchema,
  /** How it is called in sentences. */
  title: z.string(),
  /** What it is served with, and what it may move to. */
  sides: z.tuple([sideSchema, sideSchema]),
  findings: z.array(findingSchema).max(64),
  /** Of requests whose outputs are compared, ascending. */
  batchSizes: z.array(positive).min(1).max(8),
  /** Loads of each side that are timed. */
  loads: positive,
  level: duelLevelSchema,
  /** "p99>1.1x": too much worse. */
  criteria: z.array(z.string()).min(1).max(16),
  /** Largest share of failed requests with which a side is judged. */
  errorPercentage: z.number().min(0).max(100),
  /** Seconds of load. */
  budgetS: z.number().positive(),
  /** Of one measurement with its warm-up, milliseconds. */
  lookMs: positive,
});
export type UpgradeStrategy = Readonly<z.infer<typeof upgradeStrategySchema>>;

/** What a continued upgrade begins with: that the present side could not be served is tried again. Pure. */
export function withPresentAgain(searched: Searched): Searched {
  const failed = Object.entries(searched.failed).filter(([candidate]) => candidate !== '1');
  return { ...searched, failed: Object.fromEntries(failed) };
}

/** What a side turned out to be. */
const servedSchema = later(() =>
  z.object({
    side,
    place: servedPlaceSchema,
    /** From its start until Triton was ready, milliseconds. */
    startMs: z.number().min(0),
    /** Of a container. */
    image: z.object({ id: z.string(), reference: z.string() }).optional(),
  }),
);
export type UpgradeServed = Readonly<z.infer<typeof servedSchema>>;

const loadedSchema = later(() =>
  z.object({
    side,
    /** From the call until the model was ready, milliseconds. */
    loadMs: z.number().min(0),
    /** The first answer at each batch size after it, microseconds. */
    firstUs: z.array(z.object({ batchSize: positive, us: z.number().min(0) })),
    /** Of Triton's processes and GPUs with the model loaded. */
    hostBytes: known,
    gpuBytes: known,
  }),
);
/** One load of the model on a side. */
export type UpgradeLoad = Readonly<z.infer<typeof loadedSchema>>;

const outputsSchema = later(() =>
  z.object({
    /** Requests of the run's inputs, sent to both. */
    between: z.array(
      z.object({
        batchSize: positive,
        requests: positive,
        outputs: z.array(comparedOutputSchema),
        /** Outputs of the present side that differ from its own for the same request: they tell nothing. */
        varying: z.array(z.string()),
      }),
    ),
    /** Samples with the outputs of the framework, or of a golden file. */
    reference: z.array(
      z.object({
        side,
        samples: z.int().min(0),
        golden: z.string().optional(),
        /** A sentence without its full stop; null: each is as expected. */
        difference: z.string().nullable(),
      }),
    ),
  }),
);
export type UpgradeOutputs = Readonly<z.infer<typeof outputsSchema>>;

export const upgradeBodies = () =>
  [
    z.object({ type: z.literal('upgrade-served'), served: servedSchema }),
    z.object({ type: z.literal('upgrade-outputs'), outputs: outputsSchema }),
    z.object({ type: z.literal('upgrade-load'), load: loadedSchema }),
  ] as const;

/** What a journal has of it, beside its looks. */
export interface Upgraded {
  /** The last start of each side. */
  readonly served: Readonly<Partial<Record<UpgradeNumber, UpgradeServed>>>;
  /** null: not compared yet. */
  readonly outputs: UpgradeOutputs | null;
  readonly loads: readonly UpgradeLoad[];
}

/** What a person asks for; what is left out is taken from the run. */
export const upgradeRequestSchema = later(() =>
  z.strictObject({
    of: z.union([
      z.strictObject({ runId }),
      z.strictObject({ deployment: z.string().max(63), model: z.string().max(128).optional() }),
    ]),
    to: upgradeTargetSchema,
    /** Absent: by date and time. */
    name: z.string().optional(),
    criteria: z.array(z.string().max(64)).min(1).max(16).optional(),
    batchSize: positive.optional(),
    concurrency: positive.optional(),
    requestRate: z.number().positive().optional(),
    budgetS: z.number().positive().optional(),
    /** Timed loads of each side. */
    loads: positive.max(100).optional(),
  }),
);
export type UpgradeRequest = Readonly<z.infer<typeof upgradeRequestSchema>>;

/** An upgrade for its page. */
export interface UpgradeDetail {
  readonly upgrade: UpgradeStrategy;
  readonly upgraded: Upgraded;
  readonly searched: Searched;
}
