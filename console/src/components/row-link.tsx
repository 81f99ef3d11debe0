import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, memo } from 'react';
import { withBase } from '../lib/base-path';

/** A page about one thing, as the router has it. */
export type PageOfOne =
  | '/tasks/$taskId'
  | '/jobs/$jobId'
  | '/groups/$groupKey'
  | '/workers/$workerId'
  | '/callbacks/deliveries/$deliveryId'
  | '/callbacks/endpoints/$endpointId';

interface RowLinkProps {
  to: PageOfOne;
  id: string;
  /** The id, unless stated. */
  text?: string;
  className?: string;
  title?: string;
}

/** A link in a row: an anchor and no more. The router's own link follows every navigation, and a list has hundreds of them. */
export const RowLink = memo(function RowLink({ to, id, text = id, className, title }: RowLinkProps) {
  const router = useRouter();
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to, params: { [to.slice(to.indexOf('$') + 1)]: id } } as never);
  };
  return (
    <a className={className} href={withBase(to.replace(/\$\w+/, () => encodeURIComponent(id)))} title={title} onClick={open}>
      <bdi>{text}</bdi>
    </a>
  );
});
