import type { HuggingFaceModel } from '../../main/contract/run/hugging-face';
import type { ModelSource } from '../../main/contract/run/run-spec';

const row = (name: string): ModelSource['inputs'][number] => ({
  ...{ name, datatype: 'INT64', shape: [-1, -1], sample: [1, 64] },
});

/** A text classifier of a Hugging Face folder: 128 tokens at most, 64 of them compared. */
export const textSource = (change: Partial<HuggingFaceModel> = {}): ModelSource => ({
  ...{ kind: 'huggingface', path: '/models/bert', title: 'bert', batched: true, externalFiles: [] },
  inputs: [row('input_ids'), row('attention_mask'), row('decoder_input_ids')],
  outputs: [{ name: 'logits', datatype: 'FP32', shape: [-1, 2] }],
  huggingFace: {
    task: 'text-classification',
    architecture: 'BertForSequenceClassification',
    autoClass: 'AutoModelForSequenceClassification',
    ...{ longest: 64, most: 128, paddingId: 3 },
    ...change,
  },
});
