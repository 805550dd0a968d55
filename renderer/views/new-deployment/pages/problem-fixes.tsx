import { Button } from '@mantine/core';
import type { ProblemFix, SpecProblem } from '../../../../main/contract/run/spec-tools';
import { InstallTools } from '../../../components/setup/install-tools';
import { useWizard } from '../wizard-context';

const fixText: Readonly<Record<Exclude<ProblemFix, 'install-tools'>, string>> = {
  'use-docker': 'Use Docker',
  'use-local': 'Use local Triton',
  'use-free-port': 'Use a free port',
};

/** The buttons that solve a problem where it is shown. */
export function ProblemFixes({ problem }: { problem: SpecProblem }) {
  const { draft } = useWizard();
  const { fixes = [], field } = problem;
  if (fixes.length === 0) return null;
  const apply = (fix: Exclude<ProblemFix, 'install-tools'>): void => {
    if (fix === 'use-free-port') draft.reset(field.split('.'));
    else draft.change(['engine', 'kind'], fix === 'use-docker' ? 'docker' : 'local');
  };
  return (
    <div className="problem-fixes">
      {fixes.map((fix) =>
        fix === 'install-tools' ? (
          <InstallTools key={fix} />
        ) : (
          <Button
            key={fix}
            size="xs"
            variant="default"
            onClick={() => {
              apply(fix);
            }}
          >
            {fixText[fix]}
          </Button>
        ),
      )}
    </div>
  );
}
