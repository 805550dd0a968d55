import { copyFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TlsFiles } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import type { InputData } from '../../contract/measured/input-data';
import { largestOf } from '../../domain/statistics';
import { makeFolder } from '../../platform/files';
import type { MeasureInput } from '../load-tool';

export const analyzerFiles = (workDir: string) => ({
  inputDir: join(workDir, 'input'),
  inputJson: join(workDir, 'input.json'),
  csvPath: join(workDir, 'perf_analyzer.csv'),
  intervalsPath: join(workDir, 'intervals.txt'),
});

/** perf_analyzer keeps several copies of its input file in memory. */
const mostBytes = 256 * 1024 * 1024;

type SampleTensor = InputData['tensors'][number];

const isFileName = (name: string): boolean => !/[/\0]/.test(name) && !name.startsWith('.');

/** A folder holds one entry of one shape, with text as lines. */
function fitsFolder({ tensors }: InputData): boolean {
  return tensors.every(
    ({ name, datatype, files }) => files.length === 1 && datatype !== 'BYTES' && isFileName(name),
  );
}

async function writeFolder(input: MeasureInput, dir: string): Promise<void> {
  await makeFolder(dir);
  for (const { name, files } of input.inputData.tensors) {
    await copyFile(join(input.inputDataDir, files[0] ?? ''), join(dir, name));
  }
}

async function readSample(
  { name, shape, shapes, files }: SampleTensor,
  index: number,
  dir: string,
): Promise<{ readonly name: string; readonly shape: readonly number[]; readonly data: Buffer }> {
  const at = index % files.length;
  return { name, shape: shapes?.[at] ?? shape, data: await readFile(join(dir, files[at] ?? '')) };
}

/** Entries that begin a stream: each sequence has its own; otherwise perf_analyzer uses only one stream. */
function streamStarts({ inputData, settings }: MeasureInput): ReadonlySet<number> {
  let at = 0;
  const lengths = settings.sequences === undefined ? [] : (inputData.streams ?? []);
  return new Set(lengths.map((length) => (at += length) - length));
}

/** Writes base64 entries by stream. @returns the numbers of written and available entries */
async function writeJson(
  input: MeasureInput,
  path: string,
): Promise<{ readonly written: number; readonly count: number }> {
  const { inputDataDir } = input;
  const { tensors } = input.inputData;
  const starts = streamStarts(input);
  // A partial stream would be another sequence.
  const mayEnd = (at: number) => starts.size === 0 || starts.has(at);
  const count = largestOf(tensors.map((tensor) => tensor.files.length));
  const file = await open(path, 'w');
  let written = 0;
  let bytes = 0;
  try {
    await file.write('{"data": [');
    while (written < count && (written === 0 || bytes < mostBytes || !mayEnd(written))) {
      const samples = await Promise.all(tensors.map((tensor) => readSample(tensor, written, inputDataDir)));
      const entry = samples.map(({ name, shape, data }) => {
        bytes += data.byteLength;
        // Scalars have no shape.
        const values = { b64: data.toString('base64') };
        return [name, shape.length === 0 ? values : { content: values, shape }] as const;
      });
      const before = starts.has(written) ? (written === 0 ? '[' : '],\n[') : written === 0 ? '' : ',';
      await file.write(`${before}\n${JSON.stringify(Object.fromEntries(entry))}`);
      written += 1;
    }
    await file.write(starts.size === 0 ? '\n]}\n' : '\n]]}\n');
  } finally {
    await file.close();
  }
  return { written, count };
}

/** A folder with a raw file per input, or JSON for several entries, text and odd names. @returns --input-data */
export async function writeAnalyzerInput(input: MeasureInput): Promise<string> {
  const { inputDir, inputJson } = analyzerFiles(input.workDir);
  if (input.inputData.expected !== undefined)
    input.onLog(['perf_analyzer does not get the expected outputs, because it compares byte for byte.']);
  if (fitsFolder(input.inputData)) {
    await writeFolder(input, inputDir);
    return inputDir;
  }
  const { written, count } = await writeJson(input, inputJson);
  if (written < count)
    input.onLog([`perf_analyzer gets the first ${written} of ${count} entries: more would exceed 256 MiB.`]);
  return inputJson;
}

type TlsInput = Pick<MeasureInput, 'protocol' | 'httpTls' | 'grpcTls'>;

/** TLS files of the protocol under load; null without TLS. */
export const analyzerTls = ({ protocol, httpTls, grpcTls }: TlsInput): TlsFiles | null =>
  (protocol === 'grpc' ? grpcTls : httpTls) ?? null;

const refused = (where: string, message: string) =>
  new WorkbenchError('combination-unsupported', message, {
    where,
    remedy: 'Choose the built-in load generator (native).',
  });

const given = (flag: string, value: string | undefined): string[] =>
  value === undefined ? [] : [flag, value];

/** Throws combination-unsupported without an equivalent flag. */
export function tlsArguments(input: TlsInput): string[] {
  const tls = analyzerTls(input);
  if (tls === null) return [];
  const { caFile, certFile, keyFile, insecure = false } = tls;
  if (tls.serverName !== undefined && !insecure) {
    throw refused(
      'engine.tls.serverName',
      'perf_analyzer checks the certificate only against the host of the address',
    );
  }
  if (input.protocol === 'grpc') {
    if (insecure)
      throw refused('engine.tls.insecure', 'perf_analyzer always checks the certificate of a gRPC server');
    return [
      '--ssl-grpc-use-ssl',
      ...given('--ssl-grpc-root-certifications-file', caFile),
      ...given('--ssl-grpc-certificate-chain-file', certFile),
      ...given('--ssl-grpc-private-key-file', keyFile),
    ];
  }
  return [
    ...(insecure ? ['--ssl-https-verify-peer', '0', '--ssl-https-verify-host', '0'] : []),
    ...given('--ssl-https-ca-certificates-file', caFile),
    ...given('--ssl-https-client-certificate-file', certFile),
    ...given('--ssl-https-private-key-file', keyFile),
  ];
}
