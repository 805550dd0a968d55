import { IconCalculator } from '@tabler/icons-react';
import { useState } from 'react';
import { present } from '../../../../main/contract/trees';
import { SmallButton } from '../../../components/actions';
import { ErrorPanel } from '../../../components/error-panel';
import { Loading } from '../../../components/loading';
import { useAnswer } from '../../../use-answer';
import { CapacityPanel } from '../../run/plan/capacity-panel';

interface SearchCapacityProps {
  name: string;
  updatedAt: string;
  /** Of a search of several models: its number from 1. */
  model?: number;
}

function Plan({ name, updatedAt, model }: SearchCapacityProps) {
  const { value, error } = useAnswer(
    (of) => of.call('searches.capacity', { name, ...present({ model }) }),
    `${name} ${updatedAt} ${model ?? ''}`,
  );
  if (error !== null) return <ErrorPanel error={error} />;
  if (value === null) return <Loading label="Reading the measurements of the search" />;
  return (
    <div className="stack search-capacity">
      <div className="dim">
        Configuration {value.candidate}: {value.configuration}. {value.note}
      </div>
      <CapacityPanel state={value.state} search={name} />
    </div>
  );
}

/** Replicas and cost of a rate, by what the best configuration held; on demand, since it reads the whole run. */
export function SearchCapacity(props: SearchCapacityProps) {
  const [isShown, setShown] = useState(false);
  if (isShown) return <Plan {...props} />;
  return (
    <div>
      <SmallButton
        icon={IconCalculator}
        title="Replicas and cost of a rate with the best configuration"
        onClick={() => setShown(true)}
      >
        Plan capacity
      </SmallButton>
    </div>
  );
}
