import { bootstrap, needs } from './lib/bootstrap.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';

// What the window runs when it installs missing tools: its own packages and bundle are there already.
await main(async () => {
  await bootstrap(needs.tools);
  say('All tools are installed.');
  return 0;
});
