import { IconFileText, IconGauge, IconPlayerEject, IconUpload } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { modelKey, type ModelSample } from '../../../main/contract/monitor/monitor';
import type { Client } from '../../client';
import { IconAction, TextAction } from '../../components/actions';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { attempt } from '../../components/notices';
import { useWorkbench } from '../../workbench';
import { unloadQuestion } from './monitor-text';

type SetModel = (change: string | null | ((now: string | null) => string | null)) => void;

function work(
  client: Client,
  call: 'monitor.loadModel' | 'monitor.unloadModel',
  { name, key, setBusyWith }: { readonly name: string; readonly key: string; readonly setBusyWith: SetModel },
): void {
  setBusyWith(key);
  attempt(() =>
    client
      .call(call, { model: name })
      .then(() => undefined)
      .finally(() => setBusyWith((now) => (now === key ? null : now))),
  );
}

const ActionButtons = memo(function ActionButtons(props: {
  name: string;
  /** Host and port. */
  server: string;
  modelKey: string;
  served: boolean;
  why: string | null;
  busy: boolean;
  setBusyWith: SetModel;
  onConfig: (name: string) => void;
  onUnload: (key: string) => void;
}) {
  const { name, server, modelKey: key, served, why } = props;
  const { client, monitor, overlay } = useWorkbench();
  return (
    <span className="row-actions">
      <IconAction
        icon={IconUpload}
        label={served ? `Reload ${name}` : `Load ${name}`}
        why={why}
        busy={props.busy}
        onClick={() => work(client, 'monitor.loadModel', { name, key, setBusyWith: props.setBusyWith })}
      />
      <IconAction
        icon={IconFileText}
        label={`Configuration of ${name}`}
        why={why ?? (served ? null : 'The configuration is available only while the model is loaded')}
        onClick={() => props.onConfig(name)}
      />
      <IconAction
        icon={IconGauge}
        label={`Measure ${name}`}
        why={served ? null : 'Only a loaded model can be measured'}
        onClick={() => {
          const source = monitor.getState().state?.source;
          const host = source?.kind === 'live' ? source.host : undefined;
          const url = source?.kind === 'live' ? source.url.replace(/^http:\/\//, '') : server;
          overlay.getState().measure({ url, host: host ?? '', model: name });
        }}
      />
      <TextAction
        icon={IconPlayerEject}
        text="Unload"
        label={`Unload ${name}`}
        why={why ?? (served ? null : 'The model is not loaded')}
        onClick={() => props.onUnload(key)}
      />
    </span>
  );
});

/**
 * Unloading asks first: the model may be serving others. The row may become another model's, to which the question does
 * not apply.
 */
export function ModelActions(props: {
  model: ModelSample;
  server: string;
  why: string | null;
  onConfig: (name: string) => void;
}) {
  const { model } = props;
  const { client } = useWorkbench();
  const { name } = model;
  const key = modelKey(model);
  const [busyWith, setBusyWith] = useState<string | null>(null);
  const [askingOf, setAskingOf] = useState<string | null>(null);
  if (askingOf === key) {
    return (
      <ConfirmInPlace
        question={unloadQuestion(model, props.server)}
        action="Unload"
        onConfirm={() => {
          setAskingOf(null);
          work(client, 'monitor.unloadModel', { name, key, setBusyWith });
        }}
        onCancel={() => setAskingOf(null)}
      />
    );
  }
  return (
    <ActionButtons
      name={name}
      server={props.server}
      modelKey={key}
      served={model.state === 'ready' || model.state === 'failing'}
      why={props.why}
      busy={busyWith === key}
      setBusyWith={setBusyWith}
      onConfig={props.onConfig}
      onUnload={setAskingOf}
    />
  );
}
