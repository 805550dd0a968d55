import { z } from 'zod';
import { later } from '../later';

/** What a task is judged by where the true answers are known: figures of a labeled data set. */
const titles = {
  accuracy: 'Accuracy',
  'macro-f1': 'Macro F1',
  'entity-f1': 'Entity F1',
  'exact-match': 'Exact match',
  'token-f1': 'Token F1',
  'first-token-accuracy': 'Accuracy of the first token',
  'five-tokens-accuracy': 'Accuracy of the first five tokens',
  'word-error-rate': 'Word error rate',
  map50: 'mAP at IoU 0.5',
} as const;

export type TaskFigureName = keyof typeof titles;
export const taskFigureNames = Object.keys(titles) as [TaskFigureName, ...TaskFigureName[]];
export const taskFigureTitles: Readonly<Record<string, string>> = titles;

export const isTaskFigure = (name: string): name is TaskFigureName =>
  taskFigureNames.some((known) => known === name);

/** Errors are better where they are fewer. */
export const taskFigureBetter = (name: TaskFigureName): 'higher' | 'lower' =>
  name === 'word-error-rate' ? 'lower' : 'higher';

const span = later(() => z.object({ start: z.int().min(0), end: z.int().min(0), label: z.string() }));
const truthBox = later(() =>
  z.object({
    /** Left, upper, right and lower edge, in pixels of the image. */
    box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
    label: z.string(),
  }),
);

/** What is true of the only row of a sample, by what the model answers. */
export const truthSchema = later(() =>
  z.discriminatedUnion('kind', [
    /** Of LABEL. */
    z.object({ kind: z.literal('label'), label: z.string() }),
    /** Of LABEL, START and END: all spans of the text, in characters. */
    z.object({ kind: z.literal('entities'), entities: z.array(span) }),
    /** Of ANSWER: each of them is right. */
    z.object({ kind: z.literal('answers'), answers: z.array(z.string()).min(1) }),
    /** Of TOKEN, whose values are the best ones, best first. */
    z.object({ kind: z.literal('token'), token: z.string() }),
    /** Of TEXT. */
    z.object({ kind: z.literal('transcript'), text: z.string() }),
    /** Of LABEL, SCORE and BOX: all objects of the image. */
    z.object({ kind: z.literal('boxes'), boxes: z.array(truthBox) }),
  ]),
);
export type Truth = z.infer<typeof truthSchema>;
export type TruthOf<Kind extends Truth['kind']> = Extract<Truth, { kind: Kind }>;

export const taskFigureSchema = later(() =>
  z.object({
    name: z.enum(taskFigureNames),
    /** Of the outputs in the golden file; null: they have no such figure. */
    framework: z.number().nullable(),
    triton: z.number().nullable(),
  }),
);
export type TaskFigure = z.infer<typeof taskFigureSchema>;
