import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { DataWork } from '../../../../main/contract/data-source';
import { WorkbenchError } from '../../../../main/contract/errors';
import { createHub } from '../../../../main/own/huggingface/hub';
import { checkHuggingFaceConfig } from '../../../../main/own/huggingface/read-folder';
import { Works } from '../../../../main/platform/works';
import type { Toolkit, ToolkitCommand } from '../../../../main/toolkit/toolkit';
import { bertConfig } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';

const bench = useModelBench();
const [first, second] = ['1'.repeat(40), '2'.repeat(40)] as const;
const contents: Readonly<Record<string, string>> = {
  'config.json': JSON.stringify(bertConfig),
  'model.safetensors': 'weights',
  'pytorch_model.bin': 'pickle',
  'modeling.py': 'code',
};

interface Served {
  /** Commit of "main"; null: nothing answers. */
  main: string | null;
  config: string;
}

/** Answers as the verbs of the toolkit do, with a folder of the bench as the cache. */
function createBench(served: Served) {
  const { dir } = bench();
  const commands: ToolkitCommand[] = [];
  const given: string[] = [];
  const valuesOf = ({ args }: ToolkitCommand, flag: string) =>
    args.flatMap(([name, value]) => (name === flag ? [String(value)] : []));
  const folderOf = (commit: string) => join(dir, 'models--acme--my-bert', 'snapshots', commit);
  const put = async (commit: string, path: string) => {
    await mkdir(folderOf(commit), { recursive: true });
    await writeFile(
      join(folderOf(commit), path),
      path === 'config.json' ? served.config : (contents[path] ?? ''),
    );
  };
  const answer = async (command: ToolkitCommand): Promise<unknown> => {
    commands.push(command);
    if (served.main === null) throw new WorkbenchError('download-failed', 'The hub cannot be reached');
    const [revision = ''] = valuesOf(command, '--revision');
    const commit = revision === 'main' ? served.main : revision;
    if (command.verb === 'hub-files') {
      await put(commit, 'config.json');
      const files = Object.entries(contents).map(([path, text]) => ({
        ...{ path, bytes: path === 'config.json' ? served.config.length : text.length },
        ...{ sha256: null, blob: 'f00d', cached: path === 'config.json' },
      }));
      return { id: 'acme/my-bert', revision: commit, license: 'mit', folder: folderOf(commit), files };
    }
    const wanted = valuesOf(command, '--file').map((text) => (JSON.parse(text) as { path: string }).path);
    for (const path of wanted) await put(commit, path);
    return { folder: folderOf(commit) };
  };
  const toolkit: Toolkit = {
    call: async <Schema extends z.ZodType>(command: ToolkitCommand, schema: Schema) =>
      schema.parse(await answer(command)),
  };
  const works = new Works<Pick<DataWork, 'preset' | 'source' | 'title' | 'kind' | 'path'>>(
    'download',
    () => undefined,
  );
  const hub = createHub({
    toolkit,
    readers: { huggingFaceConfig: ({ path }) => checkHuggingFaceConfig(path) },
    keptFile: join(dir, 'hub.json'),
    start: (key, facts, run) => works.start(key, facts, run),
    give: (path) => given.push(path),
    now: () => new Date('2026-11-29T10:00:00Z'),
  });
  const fetch = async (reference: string, revision: string) => {
    const { workId } = await hub.handlers['models.fetch']({ reference, revision });
    return works.ended(workId);
  };
  return { hub, commands, given, fetch, folderOf };
}

const served = (): Served => ({ main: first, config: JSON.stringify(bertConfig) });

describe('a model of the hub', () => {
  it('is looked up without its weights, and downloaded without pickles and code', async () => {
    const { hub, commands, given, fetch, folderOf } = createBench(served());
    const model = await hub.look('hf:acme/my-bert');
    const bytes = JSON.stringify(bertConfig).length + 'weights'.length;
    expect(model).toEqual({
      ...{ id: 'acme/my-bert', revision: first, reference: `hf:acme/my-bert@${first}` },
      ...{ files: 2, bytes, missingBytes: 'weights'.length, license: 'mit', path: null, note: null },
    });
    expect(commands.map(({ verb }) => verb)).toEqual(['hub-files']);
    const work = await fetch('hf:acme/my-bert', first);
    expect(work).toMatchObject({ status: 'done', kind: 'model', path: folderOf(first) });
    const asked = commands.at(-1)?.args.map(([, value]) => value);
    expect(JSON.stringify(asked)).not.toMatch(/\.bin|\.py/);
    expect(given).toEqual([folderOf(first)]);
  });

  it('that is there is taken without the network by its commit, and by its branch where nothing answers', async () => {
    const answers = served();
    const { hub, commands, fetch, folderOf } = createBench(answers);
    await fetch('hf:acme/my-bert', first);
    answers.main = null;
    commands.length = 0;
    expect(await hub.look(`hf:acme/my-bert@${first}`)).toMatchObject({ path: folderOf(first), note: null });
    expect(commands).toEqual([]);
    const branch = await hub.look('hf:acme/my-bert');
    expect(branch).toMatchObject({ path: folderOf(first), missingBytes: 0, license: 'mit' });
    expect(branch.note).toBe(
      `The hub cannot be reached. Commit ${first} of 2026-11-29 is in the cache and is used.`,
    );
    await expect(hub.look('hf:acme/other')).rejects.toThrow('cannot be reached');
    await expect(hub.look(`hf:acme/my-bert@${second}`)).rejects.toThrow('cannot be reached');
  });

  it('of a branch that has moved is the new commit, and the old one stays', async () => {
    const answers = served();
    const { hub, fetch, folderOf } = createBench(answers);
    await fetch('hf:acme/my-bert', first);
    answers.main = second;
    expect(await hub.look('hf:acme/my-bert')).toMatchObject({ revision: second, path: null });
    await fetch('hf:acme/my-bert', second);
    answers.main = null;
    expect((await hub.look('hf:acme/my-bert')).path).toBe(folderOf(second));
    expect((await hub.look(`hf:acme/my-bert@${first}`)).path).toBe(folderOf(first));
  });

  it('whose cache was cleaned since is downloaded again', async () => {
    const { hub, fetch, folderOf } = createBench(served());
    await fetch('hf:acme/my-bert', first);
    await rm(join(folderOf(first), 'model.safetensors'));
    expect(await hub.look(`hf:acme/my-bert@${first}`)).toMatchObject({ path: null });
    await writeFile(join(folderOf(first), 'model.safetensors'), 'cut');
    expect(await hub.look(`hf:acme/my-bert@${first}`)).toMatchObject({ path: null });
  });

  it('that would not be exported is refused before its weights are asked for', async () => {
    const answers = { ...served(), config: JSON.stringify({ ...bertConfig, model_type: 'rwkv' }) };
    const { hub, commands, fetch } = createBench(answers);
    await expect(hub.look('hf:acme/my-bert')).rejects.toThrow('Models of the type "rwkv" cannot be exported');
    expect(await fetch('hf:acme/my-bert', first)).toMatchObject({ status: 'failed', path: null });
    expect(new Set(commands.map(({ verb }) => verb))).toEqual(new Set(['hub-files']));
  });

  it('has a damaged list of what is there asked for again', async () => {
    const { hub, fetch } = createBench(served());
    await fetch('hf:acme/my-bert', first);
    await bench().put('hub.json', '{"version":1,"models":[{"id":3}]}');
    expect(await hub.look(`hf:acme/my-bert@${first}`)).toMatchObject({ path: null });
  });
});
