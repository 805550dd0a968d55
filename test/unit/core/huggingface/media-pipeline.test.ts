import { expect, it } from 'vitest';
import { sampleTensors } from '../../../../main/contract/run/own-model';
import type { ModelSource, RunSpec } from '../../../../main/contract/run/run-spec';
import { exportedAs, writeMediaPipeline } from '../../../../main/core/huggingface/media-pipeline';
import type { PipelinePlan } from '../../../../main/own/huggingface/pipeline-plan';
import { silentListener, type Toolkit } from '../../../../main/toolkit/toolkit';

const detection: PipelinePlan = {
  ...{ name: 'my-detr', task: 'object-detection', lastStep: 'boxes.py', mostTokens: 0 },
  ...{ media: 'images', imageSides: null },
};
const speech: PipelinePlan = {
  ...{ name: 'my-ctc', task: 'automatic-speech-recognition', lastStep: 'transcript.py', mostTokens: 0 },
  media: 'audio',
};

const specOf = (name: string, shape: readonly number[], sample: readonly number[]) =>
  ({
    model: {
      // As the preset of a folder states them.
      shapes: { [name]: sample },
      source: {
        batched: true,
        inputs: [{ name, datatype: 'FP32', shape, sample }],
        outputs: [{ name: 'logits', datatype: 'FP32', shape: [-1, 10, 6] }],
      },
    },
  }) as unknown as RunSpec;
const inputOf = ({ model }: RunSpec) => model.source?.inputs[0];

it('exports a model for the size that all images come to, or for any', () => {
  const spec = specOf('pixel_values', [-1, 3, 64, 48], [1, 3, 64, 48]);
  const square = exportedAs({ ...detection, imageSides: [64, 64] }, spec);
  expect(inputOf(square)).toMatchObject({ shape: [-1, 3, 64, 64], sample: [1, 3, 64, 64] });
  expect(sampleTensors(square.model)[0]?.shape).toEqual([3, 64, 64]);
  // What is measured of it keeps the size of the folder.
  expect(inputOf(exportedAs(detection, spec))).toMatchObject({
    ...{ shape: [-1, 3, -1, -1], sample: [1, 3, 64, 48] },
  });
  const outputs = exportedAs(detection, spec).model.source?.outputs;
  expect(outputs?.map(({ shape }) => shape)).toEqual([[-1, -1, 6]]);
  // The file of a map of classes leaves its size open, and Triton's backend compares the axes of outputs exactly.
  const segmented = { ...detection, task: 'image-segmentation', imageSides: [64, 64] } as const;
  const map = exportedAs(segmented, {
    ...spec,
    model: {
      ...spec.model,
      source: { ...spec.model.source, outputs: [{ name: 'logits', shape: [-1, 5, 16, 16] }] },
    },
  } as unknown as RunSpec);
  expect(map.model.source?.outputs.map(({ shape }) => shape)).toEqual([[-1, 5, -1, -1]]);
  const sound = specOf('input_values', [-1, -1], [1, 16_000]);
  expect(exportedAs(speech, sound)).toBe(sound);
});

async function notes(plan: PipelinePlan, reference: object) {
  const asked: string[] = [];
  const toolkit: Toolkit = {
    call: ({ verb, args }, schema) => {
      asked.push(verb, ...args.map((words) => words.join(' ')));
      return Promise.resolve(schema.parse(reference));
    },
  };
  const source = { path: '/folder', huggingFace: { autoClass: 'AutoModelForCTC' } } as unknown as ModelSource;
  const models = ['first', 'model', 'last'].map((step) => `${plan.name}-${step}`);
  const written = {
    ...{ plan, source, maxBatchSize: 8, place: '/place' },
    models: [...models, plan.name].map((name) => ({ name, config: '', content: null })),
  };
  const listener = silentListener(new AbortController().signal);
  return { notes: await writeMediaPipeline(toolkit, written, listener), asked };
}

it('asks Python for the steps, and says what they take and what they are compared with', async () => {
  const reference = { items: 18, samples: 24, ties: 0, shapes: 5, library: 'Pillow 13.0.0' };
  const found = await notes(detection, reference);
  expect(found.asked).toEqual([
    'write-media-pipeline',
    ...['--folder /folder', '--auto-class AutoModelForCTC', '--task object-detection', '--name my-detr'],
    ...['--first my-detr-first', '--last my-detr-last', '--most-samples 8', '--output /place'],
  ]);
  expect(found.notes).toEqual([
    'The pipeline my-detr is an ensemble of my-detr-first, my-detr-model, my-detr-last; Pillow 13.0.0 is part of its first step.',
    'Input: IMAGE, an image in PNG or JPEG in each row. The images of a request have to come to one size.',
    'The reference is transformers in fp32 on 18 images that the workbench made: 24 requests, one by one and in batches of one size; they come to 5 sizes.',
  ]);
});

it('says which of them are ties', async () => {
  const { notes: said } = await notes(speech, { items: 16, samples: 20, ties: 2, shapes: 1, library: null });
  expect(said).toEqual([
    'The pipeline my-ctc is an ensemble of my-ctc-first, my-ctc-model, my-ctc-last.',
    'Input: AUDIO, a recording as WAV in each row.',
    'The reference is transformers in fp32 on 16 recordings that the workbench made: 20 requests, one by one and in batches.',
    'Ties within the tolerance, which are not compared: 2 recordings.',
  ]);
});
