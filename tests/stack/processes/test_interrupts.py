import signal
import threading

import pytest

from headwater.stack.processes.interrupts import ASKING, interruptible, uninterrupted


@pytest.mark.parametrize("number", ASKING)
def test_whoever_asks_a_command_to_end_interrupts_it(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), interruptible():
        signal.raise_signal(number)
    assert signal.getsignal(number) is before


@pytest.mark.parametrize("number", ASKING)
def test_a_short_work_of_cleaning_is_not_broken_off(number: signal.Signals) -> None:
    with uninterrupted():
        signal.raise_signal(number)


def test_other_threads_change_no_handlers() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
