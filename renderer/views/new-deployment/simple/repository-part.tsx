import { Panel } from '../../../components/panel';
import { ConfigDifference } from '../editor/config-difference';
import { type Field, pathOf, type Section } from '../fields/field';
import { SectionFields } from '../pages/sections-form';
import { useWizard } from '../wizard-context';
import { MaxBatchInput } from './max-batch-input';

const maxBatch = 'configure.maxBatchSize';

/** Those that a config.pbtxt has a place for. */
const ofFile = [
  ...['batching', 'preferredBatchSizes', 'maxQueueDelayUs', 'instances', 'instanceKind', 'threads'],
  ...['maxQueueSize', 'queueTimeoutUs', 'queueTimeoutAction', 'allowTimeoutOverride'],
].map((name) => `configure.${name}`);

const golden = 'accuracy.golden';

/** A model of a repository: the fields with the values of its file, what they change of it, and the reference. */
export function RepositoryPart() {
  const { fields } = useWizard();
  const at = (paths: readonly string[]): readonly Field[] =>
    paths.flatMap((path) => fields.filter((field) => pathOf(field) === path));
  const configuration: Section = { title: 'Configuration', fields: at(ofFile) };
  const reference: Section = { title: 'Reference', fields: at([golden]) };
  return (
    <>
      <Panel title={configuration.title} level={3} note="values of config.pbtxt">
        <div className="panel-body">
          <div className="fields">
            {at([maxBatch]).map((field) => (
              <MaxBatchInput key={pathOf(field)} field={field} />
            ))}
          </div>
        </div>
        <SectionFields section={configuration} after={<ConfigDifference />} />
      </Panel>
      <Panel title={reference.title} level={3}>
        <SectionFields section={reference} />
      </Panel>
    </>
  );
}
