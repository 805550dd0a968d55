import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

/** Writes a line per request: the digest of what came, by input. */
const noting = (name: string, journal: string, tensors: string, maxBatchSize = 0) => ({
  name,
  ...{ execute: '', maxBatchSize, tensors },
  source: `import hashlib
import json
import numpy as np
import triton_python_backend_utils as pb_utils


def content(array):
    if array.dtype == np.object_:
        return b"".join(len(one).to_bytes(4, "little") + one for one in array.reshape(-1))
    return array.tobytes()


class TritonPythonModel:
    def initialize(self, args):
        self.names = [one["name"] for one in json.loads(args["model_config"])["input"]]

    def execute(self, requests):
        responses = []
        for request in requests:
            found = {}
            for name in self.names:
                tensor = pb_utils.get_input_tensor_by_name(request, name)
                if tensor is not None:
                    array = tensor.as_numpy()
                    found[name] = [list(array.shape), hashlib.sha256(content(array)).hexdigest()]
            with open(${JSON.stringify(journal)}, "a", encoding="utf-8") as file:
                file.write(json.dumps(found, sort_keys=True) + "\\n")
            output = np.zeros([1, 1], dtype=np.float32)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", output)]))
        return responses
`,
});

const output = 'output [ { name: "OUTPUT" data_type: TYPE_FP32 dims: [ 1, 1 ] } ]';
const text = `input [ { name: "TEXT" data_type: TYPE_STRING dims: [ -1 ] } ]\n${output}`;
const two = `input [ { name: "IDS" data_type: TYPE_INT64 dims: [ -1, 1 ] },
 { name: "IMAGE" data_type: TYPE_FP32 dims: [ 2, 3 ] } ]\n${output}`;
const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe, 10, 13]);
const asElement = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(Uint32Array.of(bytes.length).buffer), bytes]).toString('base64');
const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');

/** Files that perf_analyzer accepts, of those kinds that people post: no whole numbers for floats. */
const files: Readonly<Record<string, { readonly model: 'texts' | 'tensors'; readonly document: object }>> = {
  'a text': {
    model: 'texts',
    document: { data: [{ TEXT: { content: ['Calm people listen.'], shape: [1] } }] },
  },
  'texts of several lengths': {
    model: 'texts',
    document: {
      data: ['Grüße', '', '漢字 und mehr', 'x'.repeat(5000)].map((one) => ({
        TEXT: { content: [one], shape: [1] },
      })),
    },
  },
  'a table row as texts': {
    model: 'texts',
    document: { data: [{ TEXT: { content: ['0', '2002', '65.5', 'Swipe', 'Town'], shape: [5] } }] },
  },
  'JSON as text': {
    model: 'texts',
    document: { data: [{ TEXT: { content: ['{"url": "a", "n": 1}'], shape: [1] } }] },
  },
  'an image as encoded bytes': {
    model: 'texts',
    document: { data: [{ TEXT: { content: { b64: asElement(image) }, shape: [1] } }] },
  },
  'tensors, flat, and any number of candidates': {
    model: 'tensors',
    document: {
      data: [[11, 12, 13], [7]].map((ids) => ({
        IDS: { content: ids, shape: [ids.length, 1] },
        IMAGE: [0.5, -1.5, 2.25, 1e-7, 3.5e-30, 0.125],
      })),
    },
  },
  'floats in base64': {
    model: 'tensors',
    document: { data: [{ IDS: { content: [1], shape: [1, 1] }, IMAGE: { b64: floats(1, 2, 3, 4, 5, 6) } }] },
  },
};

let home: TestHome;
let dir: string;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-inputs-analyzer-'));
  triton = await startTestTriton([
    noting('texts', join(dir, 'texts.log'), text),
    noting('tensors', join(dir, 'tensors.log'), two),
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

const requests = 12;

/** Requests that came since, in their order. */
async function taken(model: string, work: () => Promise<void>): Promise<readonly string[]> {
  const journal = join(dir, `${model}.log`);
  await rm(journal, { force: true });
  await work();
  return (await readFile(journal, 'utf8')).trim().split('\n');
}

describe.each(['http', 'grpc'])('perf and perf_analyzer over %s send the same requests of', (protocol) => {
  it.each(Object.keys(files))('%s', async (name) => {
    const { model, document } = files[name] ?? { model: 'texts', document: {} };
    const file = join(dir, 'input.json');
    await writeFile(file, JSON.stringify(document));
    const same = ['-m', model, '-i', protocol, '--input-data', file, '--request-count', String(requests)];
    const address = protocol === 'http' ? triton.httpAddress : triton.grpcAddress;
    const layout = homeLayout(defaultHome(process.env));
    const reference = await taken(model, async () => {
      await promisify(execFile)(layout.perfAnalyzer, [...same, '-u', address, '--concurrency-range', '1'], {
        env: { ...process.env, LD_LIBRARY_PATH: layout.perfAnalyzerLibraries },
      });
    });
    const own = await taken(model, async () => {
      const where = ['-u', triton.httpAddress, '--grpc-url', triton.grpcAddress];
      const result = await cli(home.path, 'perf', ...same, ...where, '--concurrency', '1');
      expect(result.code, result.stderr).toBe(0);
    });
    expect(reference).toHaveLength(requests);
    expect(own).toEqual(reference);
  });
});
