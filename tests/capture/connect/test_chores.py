from headwater.capture.connect.chores import Chores


def test_what_is_due_comes_in_order_and_not_more_than_asked_for() -> None:
    chores: Chores[str] = Chores()
    for key, at in (("c", 3.0), ("a", 1.0), ("b", 2.0), ("d", 9.0)):
        chores.add(key, at)
    assert chores.take(5.0, 2) == ["a", "b"]
    assert chores.take(5.0, 2) == ["c"]
    assert len(chores) == 1


def test_a_key_is_there_once_with_its_earliest_time() -> None:
    chores: Chores[str] = Chores()
    for at in (5.0, 1.0, 3.0):
        chores.add("a", at)
    assert chores.take(2.0, 10) == ["a"]
    assert chores.take(9.0, 10) == []


def test_what_is_dropped_does_not_come_up_and_may_be_added_again() -> None:
    chores: Chores[str] = Chores()
    chores.add("a", 1.0)
    chores.drop("a")
    assert chores.take(9.0, 10) == []
    chores.add("a", 10.0)
    assert chores.take(11.0, 10) == ["a"]
