import { describe, expect, it } from 'vitest';
import { inSlurmContainer } from '../../../../main/engine/slurm/slurm.engine';

const triton = ['tritonserver', '--model-repository=/shared/run/repository'];
const folder = '/shared/run/repository';

describe('Triton in a container of a job', () => {
  it('is started by Apptainer, with the GPUs of the job', () => {
    const engine = { kind: 'slurm', container: 'apptainer', containerImage: '/shared/triton.sif' } as const;
    expect(inSlurmContainer({ ...engine, gres: 'gpu:1' })?.(triton, folder)).toEqual([
      ...['apptainer', 'exec', '--nv', '--no-home', `--bind=${folder}:${folder}`, '/shared/triton.sif'],
      ...triton,
    ]);
    expect(inSlurmContainer(engine)?.(triton, folder)).not.toContain('--nv');
  });

  it('is started by Pyxis as a step of the job', () => {
    const containerImage = 'nvcr.io#nvidia/tritonserver:26.07-py3';
    expect(inSlurmContainer({ kind: 'slurm', container: 'pyxis', containerImage })?.(triton, folder)).toEqual(
      [
        ...['srun', '--overlap', '--nodes=1', '--ntasks=1', `--container-image=${containerImage}`],
        ...[`--container-mounts=${folder}:${folder}`, '--no-container-mount-home'],
        ...triton,
      ],
    );
  });

  it('is not in one where none is chosen', () => {
    expect(inSlurmContainer({ kind: 'slurm', containerImage: '/shared/triton.sif' })).toBeNull();
    expect(inSlurmContainer({ kind: 'slurm', container: 'none', containerImage: '/x' })).toBeNull();
    expect(inSlurmContainer({ kind: 'slurm', container: 'pyxis' })).toBeNull();
  });
});
