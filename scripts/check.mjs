import { bootstrap, needs } from './lib/bootstrap.mjs';
import { runCheck } from './lib/check-tools.mjs';
import { main } from './lib/main.mjs';

await main(async () => {
  const { layout } = await bootstrap(needs.check);
  return (await runCheck(layout.python)) === 0 ? 0 : 1;
});
