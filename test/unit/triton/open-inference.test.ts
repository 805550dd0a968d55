import { afterEach, describe, expect, it } from 'vitest';
import { createTritonClient } from '../../../main/triton/client';
import { configOfMetadata, recognizeServer, traitsOfServer } from '../../../main/triton/open-inference';
import { tensorValues } from '../../../main/triton/tensor';
import { type BareInferenceServer, startBareInferenceServer } from '../../support/bare-inference-server';
import { rejection } from '../../support/rejection';

let server: BareInferenceServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const tensor = (name: string, datatype: string, shape: readonly number[]) => ({
  ...{ name, datatype },
  shape: [...shape],
});
const metadata = (inputs: ReturnType<typeof tensor>[], outputs: ReturnType<typeof tensor>[]) => ({
  ...{ name: 'm', versions: [], platform: '', inputs, outputs },
});

describe('a server is recognized by what it lists in /v2', () => {
  const triton = ['classification', 'model_configuration', 'binary_tensor_data', 'statistics'];

  it('as Triton, whatever it is called', () => {
    expect(traitsOfServer({ name: 'edge-7', version: '2.51.0', extensions: triton })).toEqual({
      ...{ title: null, version: '2.51.0' },
      ...{ statistics: true, configuration: true, binaryTensors: true },
    });
  });

  it.each([
    ['mlserver', '1.7.1', [], 'mlserver 1.7.1', false],
    ['kserve', '0.15', ['model_repository_extension', 'binary_tensor_data'], 'kserve 0.15', true],
    ['OpenVINO Model Server', '', [], 'OpenVINO Model Server', false],
    ['\u001B[31mred\n', '1', [], 'red 1', false],
    ['', '', [], 'A server without a name', false],
  ])('as %s %s', (name, version, extensions, title, binaryTensors) => {
    expect(traitsOfServer({ name, version, extensions })).toMatchObject({
      ...{ title, binaryTensors, statistics: false, configuration: false },
    });
  });
});

describe('without a configuration the metadata say', () => {
  it('that a first dimension which is open everywhere is the batch', () => {
    const config = configOfMetadata(
      metadata([tensor('X', 'FP32', [-1, 4]), tensor('T', 'BYTES', [-1, 1])], [tensor('Y', 'INT64', [-1])]),
    );
    expect(config).toMatchObject({
      input: [
        { name: 'X', dataType: 'TYPE_FP32', dims: [4] },
        { name: 'T', dataType: 'TYPE_STRING', dims: [1] },
      ],
      output: [{ name: 'Y', dataType: 'TYPE_INT64', dims: [] }],
    });
    expect(config.maxBatchSize).toBeGreaterThan(1000);
  });

  it.each([
    ['a fixed one', metadata([tensor('X', 'FP32', [1, 4])], [tensor('Y', 'FP32', [-1, 4])])],
    ['no inputs', metadata([], [tensor('Y', 'FP32', [-1, 4])])],
  ])('that the model does not batch, with %s', (_what, described) => {
    expect(configOfMetadata(described).maxBatchSize).toBe(0);
  });
});

describe('a server without Triton’s extensions', () => {
  it('has no counters, a configuration from its metadata, and tensors as JSON', async () => {
    server = await startBareInferenceServer();
    const { client, traits } = await recognizeServer(createTritonClient(server.address));
    expect(traits.title).toBe('bare 1.0');
    expect(await client.modelStatistics('double')).toEqual([]);
    expect(await client.modelConfig('double')).toMatchObject({ input: [{ name: 'X', dims: [2] }] });
    const data = Buffer.from(new Float32Array([1, 2.5]).buffer);
    const { outputs } = await client.infer({
      modelName: 'double',
      inputs: [{ name: 'X', datatype: 'FP32', shape: [1, 2], data }],
    });
    expect(outputs.map((output) => tensorValues(output))).toEqual([[2, 5]]);
    expect(server.lastHeaders()).toMatchObject({ 'content-type': 'application/json' });
    // Nothing that it does not have was asked for.
    expect(server.asked).not.toContain('GET /v2/models/double/stats');
    expect(server.asked).not.toContain('GET /v2/models/double/config');
  });

  it('is named where it does not serve a model', async () => {
    server = await startBareInferenceServer();
    const { client } = await recognizeServer(createTritonClient(server.address));
    expect((await rejection(client.modelMetadata('other'))).message).toBe(
      `bare at ${server.address} does not serve other`,
    );
  });
});
