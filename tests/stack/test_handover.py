from dataclasses import replace

from headwater.pipeline.settings import read_settings
from headwater.stack.handover import hand_over, pipeline_settings, shop_url
from headwater.stack.lab import Lab


def test_the_jobs_read_what_the_lab_wrote_from_a_file_that_is_its_owners_alone(lab: Lab) -> None:
    file = hand_over(lab)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_settings(file) == pipeline_settings(lab)


def test_the_jobs_are_told_where_services_are_and_how_to_enter_them(lab: Lab) -> None:
    told = pipeline_settings(lab)
    known = lab.credentials
    assert told.kafka.bootstrap == lab.address("kafka")
    assert (told.registry.username, told.registry.password) == (known.registry_user, known.registry_password)
    assert (told.s3.access_key, told.s3.secret_key) == (known.s3_access_key, known.s3_secret_key)
    assert told.catalog.uri == lab.address("metastore")
    assert told.spark.conf == {
        "spark.driver.extraClassPath": f"{lab.home}/jars/spark/*",
        "spark.yarn.historyServer.address": lab.address("history"),
    }
    assert told.spark.checkpoints == f"file://{lab.home}/data/checkpoints"
    assert told.shop.url == f"postgresql://shop:{known.shop_password}@127.0.0.1:{lab.ports['postgres']}/shop"


def test_a_password_with_signs_of_its_own_fits_into_an_address(lab: Lab) -> None:
    settings = replace(lab.settings, postgres_url="postgresql://owner:x@db:5432/shop")
    credentials = replace(lab.credentials, shop_user="owner", shop_password="p@s/s")
    mine = replace(lab, settings=settings, credentials=credentials)
    assert shop_url(mine) == "postgresql://owner:p%40s%2Fs@db:5432/shop"


def test_settings_for_spark_are_passed_on_and_a_cluster_is_sent_the_jars(lab: Lab) -> None:
    (lab.jar_folder("spark") / "a.jar").touch()
    settings = replace(lab.settings, spark_master="spark://h:7077", spark_conf={"spark.a": "1"})
    told = pipeline_settings(replace(lab, settings=settings))
    assert told.spark.master == "spark://h:7077"
    assert told.spark.conf == {"spark.yarn.historyServer.address": lab.address("history"), "spark.a": "1"}
    assert told.spark.jars == (str(lab.home / "jars" / "spark" / "a.jar"),)
