import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, use } from 'react';
import { Keys } from '../commands/command-palette';
import { useWorkbench } from '../workbench';
import { type PageType, PageTypeContext } from './page-type';

function PaletteButton() {
  const { overlay } = useWorkbench();
  return (
    <button
      type="button"
      className="plain-button palette-button"
      aria-keyshortcuts="Control+K"
      onClick={() => overlay.getState().show('palette')}
    >
      <IconSearch size={14} aria-hidden="true" />
      <span>Search or run a command</span>
      <Keys shortcut="Ctrl+K" />
    </button>
  );
}

/** What follows the name, as format and engine of a run, has a line of its own where the head is narrow. */
function PageTitle({ title }: { title: string }) {
  const at = title.indexOf(' · ');
  return (
    <h1 className="cut" title={title}>
      {at === -1 ? title : title.slice(0, at)}
      {at === -1 ? null : (
        <span className="title-rest">
          <span className="title-dot"> · </span>
          {title.slice(at + 3)}
        </span>
      )}
    </h1>
  );
}

/**
 * The frame of every page: its type decides how its answer, picture and record are laid out (docs/design.md). `bare`: the
 * page scrolls its own parts. `type` where it is of another type for a while, as a run that is under way.
 */
export function Page(props: {
  title: string;
  before?: ReactNode;
  after?: ReactNode;
  actions?: ReactNode;
  bare?: boolean;
  type?: PageType;
  children: ReactNode;
}) {
  const ofPage = use(PageTypeContext);
  const type = props.type ?? ofPage;
  return (
    <>
      <header className={type === 'form' ? 'row page-head of-form' : 'row page-head'}>
        <div className="row page-title">
          {props.before}
          <PageTitle title={props.title} />
          {props.after}
        </div>
        <div className="row">{props.actions}</div>
        <PaletteButton />
      </header>
      <div
        className={props.bare === true ? 'page-body bare' : 'page-body'}
        data-page-type={type}
        tabIndex={props.bare === true ? undefined : 0}
        role={props.bare === true ? undefined : 'region'}
        aria-label={props.bare === true ? undefined : props.title}
      >
        {props.children}
      </div>
    </>
  );
}
