import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyReach, isEmptyReach, type Reach } from '../../../main/contract/reach';
import { createApprovals, pathReach } from '../../../main/store/approvals';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-approvals-'));
  file = join(home, 'approved.json');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = () => createApprovals({ file, own: ['/product/resources'], now: () => new Date(0) });
const image = (value: string): Reach => ({ ...emptyReach, images: [{ field: 'engine.tritonImage', value }] });
const host = (value: string): Reach => ({ ...emptyReach, hosts: [{ field: 'engine.url', value }] });
const cluster = (value: string): Reach => ({
  ...emptyReach,
  machines: [{ field: 'engine.claim', value }],
});
const isApproved = async (reach: Reach) => isEmptyReach(await open().missing(reach));

describe('approvals', () => {
  it('are asked for once: a path, an image by its repository, a host, a name in a cluster', async () => {
    for (const reach of [
      pathReach('model.dataset', '/data/set'),
      image('me/mine:1'),
      host('far.example.com'),
      cluster('Kubernetes volume claim home'),
    ]) {
      expect(await isApproved(reach)).toBe(false);
      await open().add(reach);
      expect(await isApproved(reach)).toBe(true);
    }
    expect(await isApproved(pathReach('model.checkpoint', '/data/set/part'))).toBe(true);
    expect(await isApproved(cluster('Kubernetes volume claim other'))).toBe(false);
    for (const path of ['/data', '/data/set2', '/data/set/../other', '/']) {
      expect(await isApproved(pathReach('model.dataset', path))).toBe(false);
    }
    expect(await isApproved(image(`docker.io/me/mine@sha256:${'a'.repeat(64)}`))).toBe(true);
    for (const other of ['me/mine2:1', 'registry.example.com/me/mine:1', 'me/mine/../x', 'mine:1']) {
      expect(await isApproved(image(other)), other).toBe(false);
    }
    expect(await isApproved(host('other.example.com'))).toBe(false);
  });

  it('of a machine that programs run on are no approval of one that gets load, nor the other way round', async () => {
    const machine = (value: string): Reach => ({
      ...emptyReach,
      machines: [{ field: 'engine.host', value }],
    });
    await open().add(host('gpu1'));
    expect(JSON.parse(await readFile(file, 'utf8'))).not.toHaveProperty('machines');
    expect(await isApproved(machine('gpu1'))).toBe(false);
    await open().add(machine('gpu2'));
    expect(await isApproved(machine('gpu2'))).toBe(true);
    expect(await isApproved(machine('gpu1'))).toBe(false);
    expect(await isApproved(host('gpu2'))).toBe(false);
    expect(await isApproved(host('gpu1'))).toBe(true);
  });

  it("need no question for NVIDIA's images and the workbench's own files", async () => {
    expect(await isApproved(image('nvcr.io/nvidia/tritonserver:26.07-py3'))).toBe(true);
    expect(await isApproved(pathReach('model.dataset', '/product/resources/models/x'))).toBe(true);
    for (const other of [
      'nvcr.io/nvidia2/x:1',
      'nvcr.io/other/x:1',
      'nvcr.io.example.com/nvidia/x:1',
      'nvidia/x:1',
    ]) {
      expect(await isApproved(image(other)), other).toBe(false);
    }
  });

  it('take a registry or namespace that a person adds to the file', async () => {
    const images = [{ value: 'registry.example.com/team', at: '2026-11-24' }];
    await writeFile(file, JSON.stringify({ version: 1, paths: [], images, hosts: [] }));
    expect(await isApproved(image('registry.example.com/team/triton:1'))).toBe(true);
    expect(await isApproved(image('registry.example.com/teams/triton:1'))).toBe(false);
  });

  it('hold for the session for what was chosen, and longer once it was used', async () => {
    const chosen = pathReach('model.dataset', '/home/me/data');
    const approvals = open();
    approvals.give('/home/me');
    expect(isEmptyReach(await approvals.missing(chosen))).toBe(true);
    expect(await isApproved(chosen)).toBe(false);
    await approvals.add(chosen);
    expect(await isApproved(chosen)).toBe(true);
    expect(await isApproved(pathReach('model.dataset', '/home/me/other'))).toBe(false);
  });

  it('of a damaged file are none, and those given at once are all kept', async () => {
    const paths = Array.from({ length: 20 }, (_, index) =>
      pathReach('model.dataset', `/data/${String(index)}`),
    );
    await writeFile(file, '{"version":1,"paths":[{"value":"/"');
    expect(await isApproved(pathReach('model.dataset', '/data/1'))).toBe(false);
    // Each as a process of its own has them.
    await Promise.all(paths.map((path) => open().add(path)));
    for (const path of paths) expect(await isApproved(path)).toBe(true);
    const before = await readFile(file, 'utf8');
    await open().add(pathReach('model.dataset', '/data/3'));
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});
