import { bootstrap } from './lib/bootstrap.mjs';
import { main } from './lib/main.mjs';
import { say, SetupError } from './lib/say.mjs';
import { baseImage, ensureBaseImage } from './lib/steps/docker-base.mjs';

/** Makes the base image of the CPU images where no registry is reachable; another name may be given. */
await main(async ([reference = baseImage, ...rest]) => {
  if (rest.length > 0 || !/^[a-z0-9][\w./-]*:[\w.-]+$/.test(reference)) {
    throw new SetupError('Usage: node scripts/docker-base.mjs [NAME:TAG]');
  }
  const context = await bootstrap([]);
  await ensureBaseImage(context, reference);
  say(`${reference} is there`);
  return 0;
});
