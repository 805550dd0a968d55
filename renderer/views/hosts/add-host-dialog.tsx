import { Button, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { hostFacts } from '../../../main/contract/host/host-text';
import type { HostStatus, NewHost } from '../../../main/contract/host/hosts';
import { CompactButton } from '../../components/actions';
import { Remedy } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { attempting } from '../../components/notices';
import { Facts } from '../../components/table';
import { asSentence } from '../../format/words';
import { onText } from '../../handlers';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { emptyForm, type HostForm, readForm } from './host-form';
import { HostStateText } from './host-row';

function Found({ status }: { status: HostStatus }) {
  return (
    <section className="column host-found" role="status" aria-label="What was found">
      <HostStateText status={status} />
      {status.reachable ? (
        <Facts facts={hostFacts(status)} />
      ) : (
        <>
          <p>{asSentence(status.message)}</p>
          <Remedy text={status.remedy} />
        </>
      )}
    </section>
  );
}

function useAddHost(onDone: () => void) {
  const { client, hosts } = useWorkbench();
  const entries = useStore(hosts, (state) => state.entries);
  const [form, setForm] = useState(emptyForm);
  const [found, setFound] = useState<{ readonly of: string; readonly status: HostStatus } | null>(null);
  const { host, problems } = readForm(form, entries?.map((entry) => entry.host.name) ?? []);
  const key = JSON.stringify([form.address.trim(), form.certificates.trim()]);
  const { busy, error, begin } = useFormWork<'check' | 'add'>();
  const work = (what: 'check' | 'add', act: (asked: NewHost) => Promise<void>): void => {
    if (host !== null) begin(what, () => act(host));
  };
  return {
    form,
    problems,
    error,
    busy,
    ready: host !== null,
    // A status of another address does not apply.
    status: found?.of === key ? found.status : null,
    change: (part: Partial<HostForm>) => {
      setForm((before) => ({ ...before, ...part }));
    },
    check: () => {
      work('check', async (asked) => {
        const { status } = await client.call('hosts.try', asked);
        setFound({ of: key, status });
      });
    },
    add: () => {
      work('add', async (asked) => {
        await client.call('hosts.add', asked);
        onDone();
        void hosts.getState().load();
      });
    },
  };
}

function CertificatesField(props: {
  value: string;
  problem: string | undefined;
  onChange: (folder: string) => void;
}) {
  const { client } = useWorkbench();
  const choose = async (): Promise<void> => {
    const title = 'Folder with certificates';
    const chosen = await client.call('desktop.choosePath', { kind: 'folder', title });
    if (chosen !== null) props.onChange(chosen.path);
  };
  return (
    <TextInput
      label="Certificates"
      description="Folder with ca.pem, cert.pem and key.pem. Default: DOCKER_CERT_PATH, otherwise ~/.docker."
      error={props.problem}
      value={props.value}
      onChange={onText(props.onChange)}
      rightSectionWidth={84}
      rightSection={
        <CompactButton variant="subtle" onClick={attempting(choose)}>
          Choose…
        </CompactButton>
      }
    />
  );
}

function AddHostForm({ onDone }: { onDone: () => void }) {
  const { form, problems, error, busy, ready, status, change, check, add } = useAddHost(onDone);
  return (
    <form className="stack" onSubmit={onSubmit(add)}>
      <TextInput
        label="Name"
        description="Lower-case letters, digits and dashes."
        placeholder="gpu1"
        maxLength={32}
        data-autofocus
        error={problems.name}
        value={form.name}
        onChange={onText((name) => change({ name }))}
      />
      <TextInput
        label="Address"
        description="user@host or ssh://user@host:port, context:NAME for a Docker context, or tcp://host:2376 with TLS."
        placeholder="user@gpu1.example.com"
        maxLength={400}
        error={problems.address}
        value={form.address}
        onChange={onText((address) => change({ address }))}
      />
      {form.address.trim().startsWith('tcp://') ? (
        <CertificatesField
          value={form.certificates}
          problem={problems.certificates}
          onChange={(certificates) => change({ certificates })}
        />
      ) : null}
      <p className="dim">
        The workbench uses the keys, ssh-agent and known hosts of ssh in your terminal, and stores no secrets.
      </p>
      {status === null ? null : <Found status={status} />}
      {error === null ? null : <ErrorPanel error={error} />}
      <div className="buttons">
        <Button
          variant="default"
          loading={busy === 'check'}
          disabled={!ready || busy === 'add'}
          onClick={check}
        >
          Check
        </Button>
        <Button type="submit" loading={busy === 'add'} disabled={!ready || busy === 'check'}>
          Add host
        </Button>
      </div>
    </form>
  );
}

export function AddHostDialog() {
  const { overlay } = useWorkbench();
  const { shown, close } = useStore(overlay);
  return (
    <Modal opened={shown === 'add-host'} onClose={close} title="Add host" size="lg">
      <AddHostForm onDone={close} />
    </Modal>
  );
}
