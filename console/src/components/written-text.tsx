import { marksShown } from '../lib/direction-marks';

/** What somebody wrote: its direction marks are shown by their names, and it turns nothing that stands beside it. */
export function WrittenText({
  text,
  className,
  title,
}: {
  text: string | null | undefined;
  className?: string;
  title?: boolean;
}) {
  const shown = marksShown(text ?? '');
  return (
    <bdi className={className} title={title && shown !== '' ? shown : undefined}>
      {shown}
    </bdi>
  );
}
