import type { CheckedModel, CheckedTensor, RepositoryCheck } from '../contract/repository-check';
import { exitCodes, formatTable } from './output';
import { hanging, paint } from './print/terminal';
import type { Verb } from './verb';

const verdicts: Readonly<Record<CheckedModel['verdict'], string>> = {
  loads: paint('good', 'loads'),
  'does not load': paint('bad', 'does not load'),
  'not checked': 'no problem found; not fully checked',
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function tensorTable(tensors: readonly CheckedTensor[]): readonly string[] {
  if (tensors.length === 0) return [];
  const rows = tensors.map(({ side, name, configured, file, result }) => [
    ...[side, name, configured ?? '–', file ?? '–', result],
  ]);
  const table = formatTable(['side', 'tensor', 'config.pbtxt', 'file', 'result'], rows);
  return table.split('\n').map((line) => `  ${line}`);
}

/** Only where something else than the local Triton is needed. */
const backendText = ({ backend, servedBy, image }: CheckedModel): readonly string[] =>
  backend === '' || servedBy !== null
    ? []
    : [
        `  The local Triton does not have the backend ${backend}${image === null ? '' : `; ${image} has it`}.`,
      ];

const needsText = ({ needs = [] }: CheckedModel): readonly string[] =>
  needs.map(
    ({ where, message, gpus }) =>
      `  ${where}: ${message}, and the local Triton ${gpus ? 'has no GPU' : 'does not have it'}.`,
  );

const prose = (line: string): string => hanging(line, 2);

function modelLines(model: CheckedModel): readonly string[] {
  const { name, backend, verdict, problems, notChecked, tensors, diff } = model;
  return [
    '',
    `${paint('title', name)}${backend === '' ? '' : ` (${backend})`}: ${verdicts[verdict]}`,
    ...[...backendText(model), ...needsText(model)].map(prose),
    ...tensorTable(tensors),
    ...problems.flatMap(({ where, message, remedy, triton }, index) => [
      prose(`  ${where}: ${sentence(message)} ${remedy}`),
      ...(triton === null || problems[index + 1]?.triton === triton ? [] : [prose(`    Triton: ${triton}`)]),
    ]),
    ...notChecked.map((one) => prose(`  ${one}`)),
    ...(diff === null ? [] : ['', ...diff.trimEnd().split('\n')]),
  ];
}

function checkLines({ repositories, text }: RepositoryCheck): readonly string[] {
  const lines = repositories.flatMap(({ path, models }) => [path, ...models.flatMap(modelLines), '']);
  return [...lines, hanging(text)];
}

/** `check`: what Triton would refuse in a repository, without a server. */
export function addCheck(program: Verb): void {
  program
    .command('check')
    .description(
      'Check a model repository without a server: what Triton would refuse, and the change that fixes it',
    )
    .argument('<repository...>', 'repository, the folder of one of its models, or its config.pbtxt')
    .answer(async ({ core, exit }, paths: readonly string[]) => {
      const document = await core.handlers['models.check']({ paths });
      const models = document.repositories.flatMap((repository) => repository.models);
      if (models.some(({ verdict }) => verdict === 'does not load')) exit(exitCodes.outside);
      return { document, lines: () => checkLines(document) };
    });
}
