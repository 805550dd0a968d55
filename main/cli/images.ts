import { builtImages, type ImageWork } from '../contract/docker';
import { WorkbenchError } from '../contract/errors';
import { didYouMean } from '../contract/fields/nearest-name';
import { formatBytes, formatCount } from '../contract/numbers';
import type { Core } from '../core';
import { followWork, formatTable, type Output } from './output';
import type { Verb } from './verb';

/** Prints progress until the work ends. Ctrl-C cancels. */
function follow(core: Core, workId: string, output: Output): Promise<ImageWork> {
  return followWork(
    { ...output, live: false },
    {
      subscribe: (listener) =>
        core.subscribe((event) => {
          if (event.type === 'image-work' && event.work.id === workId) listener(event.work.image, event.work);
        }),
      cancel: () => void core.handlers['docker.cancelImageWork']({ workId }),
      ended: () => core.handlers['docker.imageWorkEnded']({ workId }),
    },
  );
}

export function addImages(program: Verb): void {
  const images = program.command('images').description('List, build, pull and remove Docker images');
  images
    .command('list', { isDefault: true })
    .description('List the Triton and client images')
    .answer(async ({ core }) => {
      const used = (await core.handlers['docker.images'](undefined)).filter(({ use }) => use !== null);
      const rows = used.map((image) => [
        image.tags[0] ?? image.digests[0] ?? image.id.slice(0, 19),
        image.use ?? '',
        formatBytes(image.sizeBytes),
        image.createdAt.slice(0, 10),
        formatCount(image.containerCount),
      ]);
      const none = 'No Triton or client images yet. To build them: images build';
      const header = ['image', 'use', 'size', 'created', 'containers'];
      return { document: used, lines: () => (used.length === 0 ? none : formatTable(header, rows)) };
    });
  images
    .command('build')
    .description(`Build images (${builtImages.join(', ')}); default: the CPU images`)
    .argument('[image...]')
    .work(async ({ core, output }, names: string[]) => {
      const wanted = (names.length === 0 ? ['triton-cpu', 'client-cpu'] : names).map((name) => {
        const known = builtImages.find((image) => image === name);
        if (known !== undefined) return known;
        throw new WorkbenchError('input-invalid', `Unknown image "${name}"${didYouMean(name, builtImages)}`, {
          where: 'images build',
          remedy: `Available: ${builtImages.join(', ')}.`,
        });
      });
      const works: ImageWork[] = [];
      for (const image of wanted) {
        const { workId } = await core.handlers['docker.buildImage']({ image });
        works.push(await follow(core, workId, output));
      }
      if (output.json) output.document(works);
    });
  images
    .command('pull')
    .description('Pull an image by tag or digest')
    .argument('<reference>')
    .work(async ({ core, output }, reference: string) => {
      const { workId } = await core.handlers['docker.pullImage']({ reference });
      const work = await follow(core, workId, output);
      if (output.json) output.document(work);
    });
  images
    .command('remove')
    .description('Remove a Triton or client image')
    .argument('<name-or-id>')
    .answer(async ({ core: { handlers } }, name: string) => {
      const found = (await handlers['docker.images'](undefined)).find(
        (image) => image.id === name || image.tags.includes(name) || image.digests.includes(name),
      );
      if (found === undefined)
        throw new WorkbenchError('image-missing', `Image ${name} is not on this machine`);
      await handlers['docker.removeImage']({ id: found.id });
      return { document: { removed: found.id }, lines: () => `Removed ${name}` };
    });
}
