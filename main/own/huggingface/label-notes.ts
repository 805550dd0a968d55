import { counted } from './write-generation';

/** As in `resources/huggingface/texts_file.py`. */
const most = 256;

/** What of a labeled data set is used, one sentence each. @param noun of one sample */
export const labelNotes = (
  { labeled, leftOut }: { readonly labeled: number; readonly leftOut: number },
  noun: string,
): readonly string[] => [
  ...(labeled === 0
    ? []
    : [`Labeled: ${counted(labeled, noun)}; the result has the metrics of transformers and Triton.`]),
  ...(leftOut === 0 ? [] : [`Left out, as at most ${most} are used: ${counted(leftOut, noun)}.`]),
];
