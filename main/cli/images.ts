import type { Command } from 'commander';
import type { ImageWork } from '../contract/docker';
import { builtImages } from '../contract/docker';
import { WorkbenchError } from '../contract/errors';
import { formatBytes, formatCount } from '../contract/numbers';
import type { Core } from '../core';
import type { CliContext } from './context';
import { followWork } from './follow-work';
import type { Output } from './output';
import { formatTable } from './output';

interface ImageOptions {
  readonly json?: boolean;
}
const jsonHelp = 'one JSON document on stdout';

/** Works to its end with its progress told, a line each time; Ctrl-C cancels. */
function follow(core: Core, workId: string, output: Output): Promise<ImageWork> {
  return followWork(
    { ...output, live: false },
    {
      subscribe: (listener) =>
        core.subscribe((event) => {
          if (event.type === 'image-work' && event.work.id === workId) listener(event.work.image, event.work);
        }),
      cancel: () => {
        core.images.cancel(workId);
      },
      ended: () => core.images.ended(workId),
    },
  );
}

/** `images`: what is on the engine, build, pull, remove. */
export function addImages(program: Command, context: CliContext): void {
  const images = program
    .command('images')
    .description('Images of the Docker Engine: list, build, pull, remove');
  images
    .command('list', { isDefault: true })
    .description('List the images that the workbench uses')
    .option('--json', jsonHelp)
    .action(async (options: ImageOptions) => {
      const output = context.output(options);
      const all = await (await context.core()).handlers['docker.images'](undefined);
      const used = all.filter((image) => image.use !== null);
      if (output.json) {
        output.document(used);
        return;
      }
      if (used.length === 0) output.say('No image of Triton or its client yet. Build them: images build');
      else {
        const rows = used.map((image) => [
          image.tags[0] ?? image.digests[0] ?? image.id.slice(0, 19),
          image.use ?? '',
          formatBytes(image.sizeBytes),
          image.createdAt.slice(0, 10),
          formatCount(image.containerCount),
        ]);
        output.say(formatTable(['image', 'use', 'size', 'created', 'containers'], rows));
      }
    });
  images
    .command('build')
    .description(
      `Build images of the workbench: ${builtImages.join(', ')}; those for the CPU when none is named`,
    )
    .argument('[image...]')
    .option('--json', jsonHelp)
    .action(async (names: string[], options: ImageOptions) => {
      const output = context.output(options);
      const core = await context.core();
      const wanted = (names.length === 0 ? ['triton-cpu', 'client-cpu'] : names).map((name) => {
        const known = builtImages.find((image) => image === name);
        if (known !== undefined) return known;
        throw new WorkbenchError('input-invalid', `There is no image "${name}" to build`, {
          where: 'images build',
          remedy: `They are: ${builtImages.join(', ')}.`,
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
    .description('Pull an image, by tag or by digest')
    .argument('<reference>')
    .option('--json', jsonHelp)
    .action(async (reference: string, options: ImageOptions) => {
      const output = context.output(options);
      const core = await context.core();
      const work = await follow(core, core.images.pull(reference), output);
      if (output.json) output.document(work);
    });
  images
    .command('remove')
    .description('Remove an image of the workbench')
    .argument('<name-or-id>')
    .option('--json', jsonHelp)
    .action(async (name: string, options: ImageOptions) => {
      const output = context.output(options);
      const { handlers } = await context.core();
      const found = (await handlers['docker.images'](undefined)).find(
        (image) => image.id === name || image.tags.includes(name) || image.digests.includes(name),
      );
      if (found === undefined) throw new WorkbenchError('image-missing', `There is no image ${name} here`);
      await handlers['docker.removeImage']({ id: found.id });
      if (output.json) output.document({ removed: found.id });
      else output.say(`Removed ${name}`);
    });
}
