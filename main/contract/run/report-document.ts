import { z } from 'zod';
import { later } from '../later';
import { coldStartSchema, warmUpTrialSchema } from '../measured/cold-start';
import { limitsDocumentSchema } from '../measured/limits';
import { accuracyResultSchema, environmentSchema, loadPointSchema } from '../measured/results';
import { slowRequestsSchema } from '../measured/slow-requests';
import { modelRecordSchema } from '../own/model-record';
import { wireErrorSchema } from '../wire-error';
import { importSourceSchema } from './imported';
import { runOutcomes, scenarios, stepIds } from './run-events';
import { loadTools, runSpecSchema } from './run-spec';
import { serverLoadSchema } from './server-load';

const namedText = z.object({ name: z.string(), value: z.string() });

export const chosenLevelSchema = z.object({
  scenario: z.enum(scenarios),
  batchSize: z.int().min(1),
  concurrency: z.int().min(1),
  requestRate: z.number().positive().optional(),
  inferencesPerSecond: z.number(),
  p99Us: z.number().describe('From the schedule where there is one.'),
  p99HalfUs: z.number().nullable().describe('Half-width of the 95 % interval of p99; null: not known.'),
  requestCount: z
    .int()
    .nullable()
    .describe('Number of requests behind the figures; null: not reported by the tool.'),
  steady: z.boolean(),
  marks: z.array(z.string()).describe('Doubts about it: "not steady", "client-limited", …'),
});

const missingLevelSchema = later(() =>
  z.object({
    batchSize: z.int(),
    concurrency: z.int(),
    requestRate: z.number().positive().optional(),
    mark: z.string(),
    reason: z.string(),
  }),
);

const range = z.object({ min: z.number(), max: z.number() });

/** One tool's rounds of a level; null: it lacks the column. */
const crossSideSchema = z
  .object({ median: z.number(), min: z.number(), max: z.number(), values: z.array(z.number()) })
  .nullable();
const perTool = z.object({ native: z.int(), perf_analyzer: z.int() });

const crossLevelSchema = later(() =>
  z.object({
    batchSize: z.int(),
    concurrency: z.int(),
    requestRate: z.number().positive().optional(),
    text: z.string(),
    measured: perTool,
    unsteady: perTool,
    failed: z.array(z.object({ loadTool: z.enum(loadTools), repeat: z.int(), message: z.string() })),
    columns: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        native: crossSideSchema,
        perf_analyzer: crossSideSchema,
        ratio: z
          .number()
          .nullable()
          .describe('Median of the built-in load generator over that of perf_analyzer.'),
        verdict: z.enum(['agrees', 'differs', 'few-rounds', 'one-sided']),
      }),
    ),
  }),
);

const failedMeasurementSchema = z.object({
  key: z.string(),
  batchSize: z.int(),
  concurrency: z.int(),
  requestRate: z.number().positive().optional(),
  repeat: z.int().optional(),
  loadTool: z.enum(loadTools).optional(),
  error: wireErrorSchema,
});

const scenarioSchema = later(() =>
  z.object({
    points: z
      .array(
        loadPointSchema.unwrap().extend({
          repeats: z
            .object({
              count: z.int(),
              failed: z.int(),
              ranges: z.record(z.string(), range),
              scheduledRanges: z.record(z.string(), range).optional(),
              middle: z.int(),
            })
            .optional()
            .describe('Where the point is the median of several measurements.'),
        }),
      )
      .describe('One per measured level, by load.'),
    missing: z.array(missingLevelSchema).describe('Levels without a result.'),
    measurements: z
      .array(loadPointSchema)
      .optional()
      .describe('Every measurement of a run that repeats or cross-checks.'),
    failedMeasurements: z.array(failedMeasurementSchema).optional(),
    crossCheck: z.object({ summary: z.string(), levels: z.array(crossLevelSchema) }).optional(),
  }),
);

const stepSchema = later(() =>
  z.object({
    id: z.enum(stepIds),
    status: z.enum(['waiting', 'running', 'done', 'skipped', 'failed', 'cancelled']),
    key: z.string().nullable().describe('Hash of the inputs.'),
    attempt: z.int(),
    startedAt: z.string().nullable(),
    durationUs: z.number().nullable(),
    skippedBecause: z.enum(['unchanged', 'cached', 'not-needed']).nullable(),
    facts: z.array(namedText),
    warnings: z.array(z.string()),
    commands: z.array(z.object({ argv: z.array(z.string()), note: z.string().optional() })),
    error: wireErrorSchema.nullable(),
  }),
);

const publishedRowSchema = later(() =>
  z.object({
    batchSize: z.string(),
    concurrency: z.string(),
    published: z.string(),
    publishedP99: z.string(),
    measured: z.string(),
    measuredP99: z.string(),
    ratio: z.string(),
  }),
);

export const reportDocumentSchema = later(() =>
  z.object({
    kind: z.literal('triton-workbench-report'),
    version: z.literal(1),
    generatedAt: z.string().describe('ISO 8601, as all times.'),
    runId: z.string(),
    status: z.enum(['created', 'running', 'interrupted', ...runOutcomes]),
    createdAt: z.string(),
    updatedAt: z.string(),
    best: chosenLevelSchema.extend({ text: z.string() }).nullable().describe('null: nothing was measured.'),
    budget: z
      .object({
        p99BudgetMs: z.number(),
        headroom: z.number().nullable().describe('Share of the budget that is left, 0 to 1.'),
        best: chosenLevelSchema.nullable(),
        text: z.string().nullable(),
      })
      .nullable()
      .describe('null: the run has no p99 budget.'),
    answer: z
      .object({
        level: chosenLevelSchema.nullable().describe('null: no steady level is within the p99 budget.'),
        sure: z.boolean().describe('A steady level without doubts.'),
        doubts: z.array(
          z.object({
            kind: z.enum(['left-out', 'failed', 'not-finite', 'uncertain', 'few-requests']),
            text: z.string(),
            levels: z.array(chosenLevelSchema),
          }),
        ),
        text: z.string(),
      })
      .nullable()
      .describe('The best level within the p99 budget, where there is one; null: nothing was measured.'),
    limits: limitsDocumentSchema
      .nullable()
      .describe(
        'What limits the level of the answer; null: nothing was measured, or the figures were imported.',
      ),
    verdict: z.string(),
    verification: z.object({
      verified: z.boolean(),
      label: z
        .string()
        .describe(
          '"verified (outputs, 16 samples)", "verified (outputs and metric)", "not checked" or "failed".',
        ),
      reason: z.string(),
    }),
    error: wireErrorSchema.nullable(),
    imported: importSourceSchema.nullable().describe('The file that an imported run comes from.'),
    onServer: serverLoadSchema.optional().describe('What a run of "perf" measured.'),
    damagedLines: z.array(z.int()).describe('Damaged lines of the journal, which are left out.'),
    newerLines: z
      .array(z.int())
      .optional()
      .describe('Lines of the journal that a newer version wrote, which are left out.'),
    spec: runSpecSchema.nullable().describe('null: imported, or measured on a running Triton.'),
    specHash: z.string().nullable(),
    servedBy: z.string().nullable().describe('What executes the model, and where; null of an imported run.'),
    instances: z.string().nullable(),
    specChanges: z.array(
      z.object({
        at: z.string(),
        changed: z.array(
          z.object({ path: z.string(), from: z.unknown().optional(), to: z.unknown().optional() }),
        ),
      }),
    ),
    environment: environmentSchema.nullable(),
    steps: z.array(stepSchema),
    accuracy: accuracyResultSchema.nullable().describe('null: accuracy was not checked.'),
    modelRecord: modelRecordSchema
      .nullable()
      .optional()
      .describe('What exactly was deployed of a Hugging Face folder; null: another model, or not deployed.'),
    coldStart: coldStartSchema
      .nullable()
      .optional()
      .describe('Duration of a start and of the first requests after it; null: not recorded.'),
    warmUpTrial: warmUpTrialSchema
      .nullable()
      .optional()
      .describe('First requests without and with a warm-up; null: none was tried.'),
    offline: scenarioSchema,
    online: scenarioSchema,
    traces: z
      .array(
        z.object({
          title: z.string().describe('Scenario and level.'),
          slow: z.array(slowRequestsSchema).describe('One per requested model.'),
          problem: z.string().nullable().describe('Why it has none.'),
        }),
      )
      .optional()
      .describe('Traced requests by level, which are not among the results; absent: none.'),
    published: z
      .object({
        source: z.string(),
        note: z.string().nullable(),
        label: z.string().nullable(),
        lead: z.string(),
        differences: z.array(z.string()),
        scenarios: z.array(
          z.object({ id: z.enum(scenarios), title: z.string(), rows: z.array(publishedRowSchema) }),
        ),
      })
      .nullable(),
    notes: z.array(namedText),
  }),
);
