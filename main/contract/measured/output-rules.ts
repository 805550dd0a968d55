import { z } from 'zod';
import { later } from '../later';

/** What of two texts may differ. */
export const textNormalizers = ['case', 'whitespace', 'json'] as const;
export type TextNormalizer = (typeof textNormalizers)[number];

/** Corners, corner and size, or center and size. */
export const boxForms = ['xyxy', 'xywh', 'cxcywh'] as const;

const share = z.number().min(0).max(1);

const numbersRule = later(() =>
  z.strictObject({
    by: z.literal('numbers'),
    /** |expected - found| <= atol + rtol * |expected| of finite values; equal infinities agree, NaN with nothing. */
    atol: z.number().min(0),
    rtol: z.number().min(0),
    /** Share of the pairs of finite values that may lie outside; absent: none. */
    maxMismatch: share.optional(),
    /** NaN agrees with NaN. */
    equalNan: z.boolean().optional(),
  }),
);
export type NumbersRule = z.infer<typeof numbersRule>;

const textRule = later(() =>
  z.strictObject({
    by: z.literal('text'),
    /** Empty: byte for byte. */
    ignore: z.array(z.enum(textNormalizers)).default([]),
  }),
);

const detectionsRule = later(() =>
  z.strictObject({
    by: z.literal('detections'),
    /** Outputs beside the boxes; absent: the model has none, or they are columns of the boxes. */
    labels: z.string().min(1).optional(),
    scores: z.string().min(1).optional(),
    /** Output with the number of valid detections; absent: all rows. */
    count: z.string().min(1).optional(),
    /** Columns of the boxes' own rows, from 0; the first four are the box. */
    labelColumn: z.int().min(4).optional(),
    scoreColumn: z.int().min(4).optional(),
    boxes: z.enum(boxForms).default('xyxy'),
    /** Least overlap of two boxes that are the same detection. */
    iou: share.default(0.5),
    scoreTolerance: z.number().min(0).default(0.05),
    /** Detections below it are left out on both sides. */
    minScore: z.number().optional(),
  }),
);
export type DetectionsRule = z.infer<typeof detectionsRule>;

const ranksRule = later(() =>
  z.strictObject({
    by: z.literal('ranks'),
    /** Of how many highest values of each row the places are compared. */
    top: z.int().min(1),
    /** Share of them that has to be the same; order does not count. */
    overlap: share.default(1),
  }),
);
export type RanksRule = z.infer<typeof ranksRule>;

/** How an output is compared with the one that is expected. */
export const outputRuleSchema = later(() =>
  z.discriminatedUnion('by', [numbersRule, textRule, detectionsRule, ranksRule]),
);
export type OutputRule = z.infer<typeof outputRuleSchema>;

/** By output name. */
export const outputRulesSchema = z.record(z.string(), outputRuleSchema);
export type OutputRules = z.infer<typeof outputRulesSchema>;

/** One value of a tensor, with its place: `[0, 12]`. */
const placedValue = later(() =>
  z.object({
    sample: z.string(),
    at: z.array(z.int()),
    expected: z.string(),
    found: z.string(),
  }),
);

/** What came of comparing one output of all samples. */
export const comparedOutputSchema = later(() =>
  z.object({
    output: z.string(),
    /** "within 0.0001 + 0.0001 of the value", as people read it. */
    rule: z.string(),
    samples: z.int().min(0),
    /** Values, texts, detections or ranked rows. */
    compared: z.int().min(0),
    differing: z.int().min(0),
    /** Of numbers over finite pairs; null: not of this rule, or without one. */
    maxAbsDiff: z.number().min(0).nullable(),
    maxRelDiff: z.number().min(0).nullable(),
    nanCount: z.int().min(0),
    infCount: z.int().min(0),
    /** The largest difference, or the first of what has no size. */
    worst: placedValue.nullable(),
    passed: z.boolean(),
    /** One sentence; null where it passed. */
    reason: z.string().nullable(),
  }),
);
export type ComparedOutput = z.infer<typeof comparedOutputSchema>;
